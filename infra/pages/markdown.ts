/** Returns the note at the top of a generated page. */
export const generated = (from: string): string =>
  `<!-- Generated from ${from} by \`npm run docs\`. Do not edit. -->`

/** Returns the text of a table cell, with bars and line breaks escaped. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

/** Returns a table with a header. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

/** Returns words formatted as code. */
export const codes = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')
