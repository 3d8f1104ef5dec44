/**
 * The texts of emails that rules send. Administrators write plain text with a few placeholders and no links, so that a
 * rule cannot lead its readers to a site of somebody else.
 */
export const placeholders = [
  'user.name',
  'user.email',
  'user.department',
  'user.title',
  'user.startDate',
  'user.endDate',
  'manager.name',
  'organization.name',
  'account.url',
] as const

export type MessageValues = Readonly<Record<(typeof placeholders)[number], string>>

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g
/** What programs turn into links: schemes, and names with a dot and letters after it. */
const LINK =
  /:\/\/|\bwww\.|\bmailto:|\b[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,24}\/|\b[a-z0-9-]{2,}\.(?:com|net|org|io|app|dev|info|biz|co|de|eu|uk|at|ch|fr|me|xyz|online|site|top|ru|cn)\b/i

/** What a text of an email must not contain, as "expected …"; null if it is valid. */
export const textProblem = (text: string): string | null => {
  const unknown = [...text.matchAll(PLACEHOLDER)].find(
    ([, name = '']) => !(placeholders as readonly string[]).includes(name),
  )
  if (unknown !== undefined)
    return `expected placeholders out of ${placeholders.map((name) => `{{${name}}}`).join(', ')}`
  if (LINK.test(text.replace(PLACEHOLDER, ' '))) return 'expected text without links; use {{account.url}}'
  return null
}

/** The text with the values in place of the placeholders. Values are not searched for placeholders. */
export const filledIn = (text: string, values: MessageValues): string =>
  text.replace(PLACEHOLDER, (all, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof MessageValues] : all,
  )
