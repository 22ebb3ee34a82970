/** The visitor's body on a stage, with a tape where the held slider measures. */
import type { TemplateResult } from "lit-html";
import { html } from "lit-html";
import type { Body } from "../../../shared/api";
import { client } from "../shop";
import { t } from "../texts";
import type { Update } from "../page";
import { icon } from "./icon";
import { stageHolder, viewButtons } from "./stage";
import { type BodyHead, readBodyMesh, readVertices } from "./wire";

export interface BodyStage {
  view: () => TemplateResult;
  show: (body: Body) => void;
  /** the same body with other measures */
  change: (vertices: Float32Array, tapes?: BodyHead["tapes"]) => void;
  tape: (name: string | undefined) => void;
  leave: () => void;
}

export function bodyStage(update: Update): BodyStage {
  const holder = stageHolder(update);
  let tapes: BodyHead["tapes"] = {};
  let held: string | undefined;
  let wanted = 0;

  const drawTape = () => {
    const points = held ? tapes?.[held] : undefined;
    holder.use((stage) => stage.setTape(points ? Float32Array.from(points.flat()) : null));
  };
  const show = async (body: Body): Promise<void> => {
    const number = ++wanted;
    const [mesh, skin] = await Promise.all([
      client.getBodyMesh(body.id).then((answer) => answer.arrayBuffer()),
      client.getBodyVertices(body.id).then((answer) => answer.arrayBuffer()),
    ]);
    if (number !== wanted) return;
    const { head, vertices } = readVertices(skin);
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
    change: (vertices, found) => {
      tapes = found ?? {};
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
