/** The visitor's body on a stage, with a tape where the held slider measures. */
import type { TemplateResult } from "lit-html";
import { html } from "lit-html";
import type { Body } from "../../../shared/api";
import { client } from "../shop";
import { t } from "../texts";
import type { Update } from "../page";
import { icon } from "./icon";
import { stageHolder, viewButtons } from "./stage";
import { layTape, readBodyMesh, readVertices, type Tape } from "./wire";

export interface BodyStage {
  view: () => TemplateResult;
  show: (body: Body) => void;
  /** the same body with other measures */
  change: (vertices: Float32Array) => void;
  tape: (name: string | undefined) => void;
  leave: () => void;
}

export function bodyStage(update: Update): BodyStage {
  const holder = stageHolder(update);
  let tapes: Record<string, Tape> = {};
  let skin: Float32Array | undefined;
  let held: string | undefined;
  let wanted = 0;

  const drawTape = () => {
    const tape = held ? tapes[held] : undefined;
    holder.use((stage) => stage.setTape(tape && skin ? layTape(tape, skin) : null));
  };
  const show = async (body: Body): Promise<void> => {
    const number = ++wanted;
    const [mesh, rest] = await Promise.all([
      client.getBodyMesh(body.id).then((answer) => answer.arrayBuffer()),
      client.getBodyVertices(body.id).then((answer) => answer.arrayBuffer()),
    ]);
    if (number !== wanted) return;
    const { head, vertices } = readVertices(rest);
    skin = vertices;
    tapes = head.tapes ?? {};
    holder.use((stage) => {
      stage.setBody(readBodyMesh(mesh, vertices));
      const height = head.measures["height"] ?? 1.7;
      stage.glide({ target: [0, height * 0.52, 0], distance: 2.35 * height, azimuth: 0.25, elevation: 0.04 }, 0);
      holder.ready();
    });
  };

  return {
    view: () => html`${holder.view(t("body.stage"), html`<span class="no-picture">${icon("stand")}</span>`)} ${viewButtons(holder)}`,
    show: (body) => void show(body).catch(() => undefined),
    change: (vertices) => {
      skin = vertices;
      holder.use((stage) => stage.setBodyVertices(vertices));
      drawTape();
    },
    tape: (name) => {
      held = name;
      drawTape();
    },
    leave: holder.leave,
  };
}
