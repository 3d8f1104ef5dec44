/** Searches everything in the database for words, in every encoding they may be stored in. */
import type pg from 'pg'

/** Every row of every table of a schema, as text; bytes as `\x` and hexadecimal digits. */
export const dumpSchema = async (pool: pg.Pool, schema: string): Promise<readonly string[]> => {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_schema = $1 order by 1`,
    [schema],
  )
  const dumped: string[] = []
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    dumped.push(...rows.map(({ row }) => `${name} ${row}`))
  }
  return dumped
}

/** A text as it appears inside base64, whatever precedes and follows it, in both alphabets. */
const insideBase64 = (text: string): readonly string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const first = before === 0 ? 0 : before + 1
    const whole = Math.floor((bytes.length * 8) / 6)
    return [bytes.toString('base64').slice(first, whole), bytes.toString('base64url').slice(first, whole)]
  })

/** The ways a text may have been stored. */
const formsOf = (text: string): readonly string[] => [
  text,
  encodeURIComponent(text),
  JSON.stringify(text).slice(1, -1),
  ...insideBase64(text),
]

/**
 * Where any of these words occurs: as it is (in any case), percent- or JSON-escaped, in base64 or in hexadecimal.
 * @param words by a name for messages
 * @returns `<name of the word> in <text>` for each match
 */
export const leaks = (
  texts: readonly string[],
  words: Readonly<Record<string, string>>,
): readonly string[] => {
  const leaked: string[] = []
  for (const [name, word] of Object.entries(words)) {
    if (word.length < 6) throw new Error(`${name} is too short to search for`)
    const forms = formsOf(word)
    const lower = [word.toLowerCase(), Buffer.from(word).toString('hex')]
    for (const text of texts) {
      const small = text.toLowerCase()
      if (forms.some((form) => text.includes(form)) || lower.some((form) => small.includes(form)))
        leaked.push(`${name} in ${text.slice(0, 300)}`)
    }
  }
  return leaked
}
