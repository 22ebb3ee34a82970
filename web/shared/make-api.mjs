// Writes api.ts from openapi.json: an interface for each message, a method for each operation.
import { readFileSync, writeFileSync } from "node:fs";

const here = new URL(".", import.meta.url);
const api = JSON.parse(readFileSync(new URL("openapi.json", here), "utf8"));
const METHODS = ["get", "post", "put", "patch", "delete"];

const refName = (ref) => ref.split("/").at(-1).replace(/\W/g, "_");

function typeOf(schema) {
  if (!schema || Object.keys(schema).length === 0) return "unknown";
  if (schema.$ref) return refName(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((v) => JSON.stringify(v)).join(" | ");
  const some = schema.anyOf ?? schema.oneOf;
  if (some) return [...new Set(some.map(typeOf))].join(" | ");
  if (schema.allOf) return schema.allOf.map(typeOf).join(" & ");
  if (schema.type === "array") {
    if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
    const item = typeOf(schema.items);
    return /[ |&]/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === "object") {
    if (schema.properties) return `{ ${fields(schema).join("; ")} }`;
    // names from a list need not all be there
    const key = schema.propertyNames?.enum ? typeOf(schema.propertyNames) : "string";
    const value = typeOf(schema.additionalProperties === true ? {} : schema.additionalProperties);
    return key === "string" ? `Record<string, ${value}>` : `Partial<Record<${key}, ${value}>>`;
  }
  if (schema.format === "binary" || schema.contentMediaType) return "Blob";
  return { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" }[schema.type] ?? "unknown";
}

function fields(schema) {
  const needed = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, value]) => {
    const optional = needed.has(name) ? "" : "?";
    return `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${optional}: ${typeOf(value)}${optional ? " | undefined" : ""}`;
  });
}

function message(name, schema, sent) {
  const words = schema.description ? `/** ${schema.description.split("\n")[0]} */\n` : "";
  if (schema.type !== "object" || !schema.properties) return `${words}export type ${name} = ${typeOf(schema)};\n`;
  // what the server answers always has all fields; what is sent may leave out those with a default
  const shape = sent.has(name) ? schema : { ...schema, required: Object.keys(schema.properties) };
  return `${words}export interface ${name} {\n${fields(shape).map((f) => `  ${f};\n`).join("")}}\n`;
}

function operations() {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((m) => item[m]).map((m) => ({ path, method: m, shared: item.parameters ?? [], ...item[m] })),
  );
}

// messages that pages send, with all that these hold
function sentNames() {
  const found = new Set();
  const visit = (thing) => {
    if (!thing || typeof thing !== "object") return;
    if (typeof thing.$ref === "string") {
      const name = refName(thing.$ref);
      if (found.has(name)) return;
      found.add(name);
      visit(api.components.schemas[thing.$ref.split("/").at(-1)]);
    }
    Object.values(thing).forEach(visit);
  };
  for (const op of operations()) visit(op.requestBody);
  return found;
}

const variable = (name) => name.toLowerCase().replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

function method(op) {
  const parameters = [...op.shared, ...(op.parameters ?? [])];
  const inPath = parameters.filter((p) => p.in === "path");
  const inQuery = parameters.filter((p) => p.in === "query");
  // what the caller sends by itself is not asked for
  const inHeader = parameters.filter((p) => p.in === "header" && p.required && !/^(x-csrf-token|authorization)$/i.test(p.name));
  const [bodyKind, bodyContent] = Object.entries(op.requestBody?.content ?? {})[0] ?? [];
  const answers = Object.entries(op.responses).find(([status]) => status.startsWith("2"))?.[1]?.content ?? {};
  const [answerKind, answerContent] = Object.entries(answers)[0] ?? [];
  const json = answerKind === "application/json";
  const answer = json ? typeOf(answerContent.schema) : "Response";
  const given = inPath.map((p) => `${p.name}: ${typeOf(p.schema)}`);
  const isJson = bodyKind === "application/json";
  if (bodyKind) given.push(`body: ${isJson ? typeOf(bodyContent.schema) : bodyKind.startsWith("multipart") ? "FormData" : "BodyInit"}`);
  for (const p of inHeader) given.push(`${variable(p.name)}: ${typeOf(p.schema)}`);
  if (inQuery.length) {
    const kinds = inQuery.map((p) => `${p.name}${p.required ? "" : "?"}: ${typeOf(p.schema)}${p.required ? "" : " | undefined"}`);
    given.push(`query: { ${kinds.join("; ")} }${inQuery.some((p) => p.required) ? "" : " = {}"}`);
  }
  const path = op.path.replace(/\{(\w+)(:\w+)?\}/g, (_, name) => `\${encodeURIComponent(${name})}`);
  const words = (op.description ?? op.summary ?? "").split("\n")[0];
  const more = [bodyKind ? `, ${isJson ? "json" : "raw"}: body` : "", inQuery.length ? ", query" : "", inHeader.length ? `, headers: { ${inHeader.map((p) => `"${p.name}": ${variable(p.name)}`).join(", ")} }` : ""].join("");
  const call = `this.${json ? "json" : "raw"}${json ? `<${answer}>` : ""}({ method: "${op.method.toUpperCase()}", path: \`${path}\`${more} })`;
  return `  /** ${words} */\n  ${op.operationId}(${given.join(", ")}): Promise<${answer}> {\n    return ${call};\n  }\n`;
}

const sent = sentNames();
const schemas = Object.entries(api.components.schemas).filter(([name]) => !/ValidationError$/.test(name));
writeFileSync(
  new URL("api.ts", here),
  `// Made from openapi.json by make-api.mjs: do not edit.
import { Caller } from "./caller";

export { Refusal, Unreachable } from "./caller";

${schemas.map(([name, schema]) => message(refName(name), schema, sent)).join("\n")}
/** The shop's REST API, an operation a method. */
export class Client extends Caller {
${operations().map(method).join("\n")}}
`,
);
