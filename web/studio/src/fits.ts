/** Finding by a few letters. */

/** How well a name fits what was typed: letters in order, better at the start of words; 0: not at all. */
export function fits(name: string, typed: string): number {
  const words = name.toLowerCase();
  let from = 0, score = 1;
  for (const letter of typed.toLowerCase().replaceAll(" ", "")) {
    const found = words.indexOf(letter, from);
    if (found < 0) return 0;
    score += found === from ? 3 : found === 0 || words[found - 1] === " " ? 2 : 0;
    from = found + 1;
  }
  return score + (words.includes(typed.toLowerCase()) ? 20 : 0);
}
