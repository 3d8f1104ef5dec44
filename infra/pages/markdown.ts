/** Says at the head of a page that it is generated. */
export const generated = (from: string): string =>
  `<!-- Generated from ${from} by \`npm run docs\`. Do not edit. -->`

/** The text of a table's cell: a bar or a line break would end it. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

/** A table with a head. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

/** Words set as code, one after the other. */
export const codes = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')
