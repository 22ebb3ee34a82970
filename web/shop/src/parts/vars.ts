/** CSS variables of an element through its style object, which the page's security policy allows. */
import { noChange } from "lit-html";
import { directive, Directive, type ElementPart, type PartInfo, PartType } from "lit-html/directive.js";

class Vars extends Directive {
  constructor(info: PartInfo) {
    super(info);
    if (info.type !== PartType.ELEMENT) throw new Error("vars stands on an element, not in an attribute");
  }

  override update(part: ElementPart, [values]: [Record<string, string>]): typeof noChange {
    const element = part.element as HTMLElement;
    for (const [name, value] of Object.entries(values)) {
      if (element.style.getPropertyValue(`--${name}`) !== value) element.style.setProperty(`--${name}`, value);
    }
    return noChange;
  }

  render(_values: Record<string, string>): typeof noChange {
    return noChange;
  }
}

/** `<span ${vars({ colour: "#123456" })}>` sets --colour. */
export const vars = directive(Vars);
