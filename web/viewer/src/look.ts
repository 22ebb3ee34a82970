/** Colours and shapes of the element; a page overrides the custom properties. */
export const STYLE = `
:host { display: flex; flex-direction: column; position: relative; overflow: hidden; min-height: 12rem; background: var(--toile-paper, #f4f2ee); color: var(--toile-ink, #23252b);
  font: 15px/1.4 var(--toile-font, Inter, "Helvetica Neue", system-ui, sans-serif); }
:host([hidden]) { display: none; }
.stage { flex: 1; min-height: 0; position: relative; }
.stage canvas { position: absolute; inset: 0; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 12px 16px;
  padding-bottom: max(12px, env(safe-area-inset-bottom)); background: var(--toile-paper, #f4f2ee);
  border-top: 1px solid color-mix(in srgb, currentColor 12%, transparent); }
.bar[hidden], .told[hidden] { display: none; }
.bar label { display: flex; align-items: center; gap: 8px; white-space: nowrap; }
.bar .time { flex: 1 1 10rem; min-width: 6rem; }
.bar .number { font-variant-numeric: tabular-nums; min-width: 3.8em; }
button, select, input { font: inherit; color: inherit; }
button, select { min-height: 40px; padding: 0 14px; border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: 8px; background: var(--toile-card, #fffdf9); cursor: pointer; }
button:hover, select:hover { border-color: currentColor; }
:is(button, select, input):focus-visible, canvas:focus-visible { outline: 2px solid var(--toile-accent, #2f5d8a); outline-offset: 2px; }
canvas:focus-visible { outline-offset: -3px; }
input[type=range] { accent-color: var(--toile-accent, #2f5d8a); min-height: 32px; }
.told { position: absolute; left: 16px; right: 16px; top: 16px; width: fit-content; max-width: calc(100% - 32px); padding: 8px 14px; border-radius: 8px;
  background: var(--toile-card, #fffdf9); border: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
.told.wrong { border-color: var(--toile-warning, #a4372c); }
@media (max-width: 520px) { .bar { padding: 8px 12px; gap: 4px 12px; } .bar label.live { flex: 1 1 45%; } .bar label.live input { width: 100%; min-width: 3rem; } }
`;
