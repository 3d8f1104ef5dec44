/** The users that a pasted text names: one a line, as people copy them from a mail program or a spreadsheet. */

export interface Invitation {
  readonly name: string
  readonly email: string
}

export interface InvitationLines {
  /** Each address once, in the order of the text */
  readonly invitations: readonly Invitation[]
  /** Lines without an address */
  readonly unclear: readonly string[]
}

const ADDRESS = /[^\s<>,;"'()]+@[^\s<>,;"'()]+/

/** Returns a name for an address without one: `ada.lovelace@example.com` is Ada Lovelace. */
const nameFrom = (email: string): string =>
  (email.split('@')[0] ?? '')
    .split(/[._-]+/)
    .filter(Boolean)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ')

const nameBeside = (line: string, email: string): string =>
  line
    .replace(email, ' ')
    .replaceAll(/[<>,;"()\t]/g, ' ')
    .trim()
    .replaceAll(/\s+/g, ' ')

/** Reads `Ada Lovelace <ada@example.com>`, `Ada Lovelace, ada@example.com` (or `;`, or a tab), and `ada@example.com`. */
export const readInvitations = (text: string): InvitationLines => {
  const invitations = new Map<string, Invitation>()
  const unclear: string[] = []
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const email = ADDRESS.exec(line)?.[0]
    if (email === undefined) unclear.push(line.trim())
    else if (!invitations.has(email.toLowerCase()))
      invitations.set(email.toLowerCase(), { name: nameBeside(line, email) || nameFrom(email), email })
  }
  return { invitations: [...invitations.values()], unclear }
}
