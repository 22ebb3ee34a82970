/** What the studio reckons in the page: quantities, curves, snapping, the bytes of frames. */
import { describe, expect, test } from "vitest";
import { fits } from "../studio/src/fits";
import { along, areaOf, curvePoints, lengthOf, movePoints, nearestOn, type PieceSeen, type Point, setCurve } from "../studio/src/pattern/model";
import { snap } from "../studio/src/pattern/snap";
import { figure, readQuantity, said, UNITS } from "../studio/src/quantity";
import { frameHead, isFrame, readFrame, readMeshHead } from "../studio/src/scene/frame";

describe("numbers as people type them", () => {
  test.each([
    ["2*12.5cm", 0.25], ["12", 0.12], ["12,5", 0.125], ["5 1/2 in", 5.5 * 0.0254], ['5 1/2"', 5.5 * 0.0254], ["1m - 20", 0.8], ["(3+4)*2cm", 0.14],
    ["-4 mm", -0.004], ["1/2 m", 0.5], ["30cm/4", 0.075], ["2*(10cm+1in)", 0.2508], [".5m", 0.5], ["1e1cm", 0.1],
  ])("%s", (text, metres) => expect(readQuantity(text, UNITS.cm)).toBeCloseTo(metres, 12));
  test.each(["", "abc", "2*", "3cm*4cm", "1/0", "(2", "2)", "12 13", "5 cm cm"])("no number: %s", (text) => expect(readQuantity(text, UNITS.cm)).toBeNull());
  test("a figure goes there and back", () => {
    expect(readQuantity("45°", UNITS.degree)).toBeCloseTo(Math.PI / 4, 12);
    expect(readQuantity("45", UNITS.degree)).toBeCloseTo(Math.PI / 4, 12);
    expect(figure(0.1234, UNITS.cm)).toBe("12.3");
    expect(figure(0.00001, { sign: "N/m", size: 1, digits: 4 })).toBe("0.00001");
    expect(said(0.0254, UNITS.in)).toBe("1\u202fin");
  });
});

const square: PieceSeen = piece([[0, 0], [0.4, 0], [0.4, 0.3], [0, 0.3]]);

function piece(corners: Point[]): PieceSeen {
  const edges = corners.map((a, i) => {
    const b = corners[(i + 1) % corners.length]!;
    return { name: "", kind: "line", start: i, end: (i + 1) % corners.length, controls: [], line: [a, b], length: Math.hypot(b[0] - a[0], b[1] - a[1]), seams: [], held: "" };
  });
  return { garment: 0, piece: "front", corners, edges, notches: [], lines: [], grain: 0, area: areaOf(corners), table: [0, 0], fabric: "", colour: "#888888", print: "plain", second: "#ffffff", repeat: 0.02, place: "" };
}

describe("pieces", () => {
  test("an arc through a point of a circle has the circle's length", () => {
    const points = curvePoints("arc", [1, 0], [[0, 1]], [-1, 0]);
    expect(lengthOf(points)).toBeCloseTo(Math.PI, 2);
    for (const [x, y] of points) expect(Math.hypot(x, y)).toBeCloseTo(1, 9);
  });
  test("a moved corner changes the lengths and the area", () => {
    const moved = movePoints(square, [1, 2], [0.1, 0]);
    expect(moved.area).toBeCloseTo(0.15, 12);
    expect(moved.edges.map((edge) => edge.length)).toEqual([0.5, 0.3, 0.5, 0.3].map((n) => expect.closeTo(n, 9)));
    expect(square.area).toBeCloseTo(0.12, 12);
  });
  test("a bent edge encloses more", () => {
    // a parabola of height 0.1 over 0.4: two thirds of the box
    expect(setCurve(square, 0, "quadratic", [[0.2, -0.2]]).area).toBeCloseTo(0.12 + (2 / 3) * 0.4 * 0.1, 3);
  });
  test("the nearest place on a line and the place at a share are the same", () => {
    const line: Point[] = [[0, 0], [1, 0], [1, 1]];
    const found = nearestOn(line, [1.2, 0.5]);
    expect(found.share).toBeCloseTo(0.75, 9);
    expect(along(line, found.share).at).toEqual([1, 0.5]);
  });
  test("corners snap to others, to lines with them, and to a grid", () => {
    expect(snap([0.101, 0.099], [[0.1, 0.1]], 0.01, 0).at).toEqual([0.1, 0.1]);
    expect(snap([0.101, 0.5], [[0.1, 0.1]], 0.01, 0)).toEqual({ at: [0.1, 0.5], guides: [[[0.1, 0.1], [0.1, 0.5]]] });
    expect(snap([0.233, 0.388], [], 0.01, 0.01).at).toEqual([expect.closeTo(0.23), expect.closeTo(0.39)]);
  });
});

describe("frames", () => {
  test("positions, joints and overlay lie where the protocol says", () => {
    const data = new ArrayBuffer(64 + 20 + 48 + 4), view = new DataView(data);
    view.setUint8(0, 3);
    view.setUint8(1, 1);
    view.setUint32(4, 7, true);
    view.setUint32(8, 41, true);
    view.setFloat64(16, 1.5, true);
    [-1, 0, 2].forEach((v, k) => view.setFloat32(24 + 4 * k, v, true));
    [1, 2, 2].forEach((v, k) => view.setFloat32(36 + 4 * k, v, true));
    view.setUint32(48, 3, true);
    view.setUint16(52, 1, true);
    view.setUint8(54, 2);
    view.setUint8(55, 1 | 4);
    view.setUint32(56, 9, true);
    [-32768, -32768, 0, 32767, 32767, 0, 0, 0, 0].forEach((q, i) => view.setInt16(64 + 2 * i, q, true));
    view.setFloat32(84 + 12, 0.25, true);
    new Uint8Array(data).set([0, 128, 255], 132);
    expect(isFrame(data)).toBe(true);
    expect(frameHead(data)).toEqual({ side: 0, mesh: 7, number: 41 });
    const frame = readFrame(data)!;
    expect([...frame.positions.slice(0, 6)]).toEqual([-1, 0, 2, 1, 2, 2].map((n) => expect.closeTo(n, 5)));
    expect(frame.joints![3]).toBe(0.25);
    expect([...frame.overlay!]).toEqual([0, 128, 255]);
    expect(frame).toMatchObject({ running: true, asleep: true, sewing: false, answers: 9, time: 1.5 });
  });
  test("what is cut short is no frame", () => {
    const data = new ArrayBuffer(70), view = new DataView(data);
    view.setUint8(0, 3);
    view.setUint8(1, 1);
    view.setUint32(48, 100, true);
    expect(readFrame(data)).toBeNull();
    expect(readMeshHead(new ArrayBuffer(3))).toBeNull();
  });
});

test("the palette finds by words, starts and letters in order", () => {
  expect(fits("Reverse", "rev")).toBeGreaterThan(fits("Grab clothever", "rev"));
  expect(fits("Propose seams", "ps")).toBeGreaterThan(0);
  expect(fits("Reverse", "xyz")).toBe(0);
});
