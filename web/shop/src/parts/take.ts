/** A recording as the stage plays it: seen from its first frame on, while the rest is still arriving. */
import { type BodyMesh, type ClothMesh, type FrameData, RecordingFile, type View } from "toile-viewer";

export interface Take {
  body: BodyMesh | null;
  cloth: ClothMesh;
  view: View;
  /** what is seen so many seconds after the start; ended: nothing more will come */
  at: (seconds: number, loops: boolean) => { data: FrameData; ended: boolean };
  /** it was seen to its end */
  ended: () => boolean;
  /** where the wearer stands [m] */
  place: (frame: FrameData) => [number, number];
  close: () => void;
}

/** Open a recording at an address; settles with its first frame. arrived: further frames are there. */
export async function openTake(url: string, arrived: () => void): Promise<Take> {
  const stop = new AbortController();
  const answer = await fetch(url, { credentials: "same-origin", signal: stop.signal });
  if (!answer.ok || !answer.body) throw new Error(`${url}: ${answer.status}`);
  const file = await RecordingFile.open(answer.body, arrived);
  void file.complete.then(arrived, () => undefined);
  let over = false;
  const top = Math.max(file.body ? highest(file.body.vertices) : 0, 1.2);
  return {
    body: file.body,
    cloth: file.cloth,
    view: { target: [0, 0.52 * top, 0], distance: 2.4 * top, elevation: 0.05 },
    at: (seconds, loops) => {
      const there = (file.ready - 1) / file.fps;
      const whole = file.ready === file.frameCount;
      const time = loops && whole ? swung(seconds, file) : Math.min(Math.max(seconds, 0), there);
      over = whole && !loops && seconds >= there;
      return { data: file.at(time), ended: over };
    },
    ended: () => over,
    place: (frame) => middle(frame.positions),
    close: () => stop.abort(),
  };
}

/** A movement that does not run into its beginning goes there and back. */
function swung(seconds: number, file: RecordingFile): number {
  const length = Math.max(file.duration, 0.01);
  if (file.loop) return seconds % length;
  const part = seconds % (2 * length);
  return part < length ? part : 2 * length - part;
}

function highest(vertices: Float32Array): number {
  let top = 0;
  for (let i = 1; i < vertices.length; i += 3) top = Math.max(top, vertices[i] ?? 0);
  return top;
}

function middle(positions: Float32Array | undefined): [number, number] {
  if (!positions?.length) return [0, 0];
  let x = 0;
  let z = 0;
  const step = 3 * 16;
  let count = 0;
  for (let i = 0; i + 2 < positions.length; i += step, count++) {
    x += positions[i] ?? 0;
    z += positions[i + 2] ?? 0;
  }
  return [x / count, z / count];
}
