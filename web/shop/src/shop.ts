/** What the pages share: the server, the visitor's body, what hangs on the rail. Each is asked for once. */
import { type Body, type BodyList, type Catalogue, Client, type Garment, type Visitor } from "../../shared/api";

export const client = new Client();

let visitor: Promise<Visitor> | undefined;
let bodies: Promise<BodyList> | undefined;
let rail: Promise<Catalogue> | undefined;

/** Keep a promise until it fails: the next one who asks tries again. */
function kept<T>(made: Promise<T>, drop: () => void): Promise<T> {
  made.catch(drop);
  return made;
}

export function theVisitor(): Promise<Visitor> {
  visitor ??= kept(client.getVisitor(), () => (visitor = undefined));
  return visitor;
}

export function theBodies(): Promise<BodyList> {
  bodies ??= kept(client.getBodies(), () => (bodies = undefined));
  return bodies;
}

export function theRail(): Promise<Catalogue> {
  rail ??= kept(client.getCatalogue(), () => (rail = undefined));
  return rail;
}

export async function theGarment(id: string): Promise<Garment> {
  const known = (await theRail()).garments.find((garment) => garment.id === id);
  return known ?? client.getGarment(id);
}

/** The body that clothes are tried on, and whether it is the visitor's own. */
export async function theBody(): Promise<{ body: Body; own: boolean }> {
  const [{ body_id }, list] = await Promise.all([theVisitor(), theBodies()]);
  const own = list.own.find((body) => body.id === body_id);
  const body = own ?? list.standard.find((one) => one.id === body_id) ?? list.standard[0];
  if (!body) throw new Error("the shop has no standard body");
  return { body, own: own !== undefined };
}

/** Take a body for trying on from now on. */
export async function wearBody(id: string): Promise<void> {
  visitor = kept(client.changeVisitor({ body_id: id }), () => (visitor = undefined));
  bodies = undefined;
  await visitor;
}

/** After bodies were made, changed or deleted, or everything was. */
export function askAgain(): void {
  visitor = bodies = undefined;
}

export function askRailAgain(): void {
  rail = undefined;
}
