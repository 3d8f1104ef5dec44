/** What the letters of the service say. */
import type { MethodKind } from '../../engines/postgres/mail-queue.ts'
import type { Content } from './letter.ts'

export interface Reader {
  readonly name: string
  readonly organization: string
  /** Without a trailing slash. */
  readonly publicUrl: string
}

const moment = (iso: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(iso))} UTC`

const until = (iso: string): string => `This link works once, until ${moment(iso)}.`

const hello = ({ name }: Reader): string => `Hello ${name},`

export const invitation = (reader: Reader, link: { url: string; expiresAt: string }): Content => ({
  subject: `Set up your account at ${reader.organization}`,
  title: `Welcome to ${reader.organization}`,
  paragraphs: [
    hello(reader),
    'An account has been made for you. Choose how you want to sign in; it takes a minute and needs no password.',
  ],
  button: { label: 'Set up your account', url: link.url },
  notes: [until(link.expiresAt), 'If you did not expect this invitation, you can ignore this letter.'],
})

export const magicLink = (reader: Reader, link: { url: string; minutes: number }): Content => ({
  subject: `Sign in to ${reader.organization}`,
  title: 'Your link to sign in',
  paragraphs: [hello(reader), `Use this link to sign in to ${reader.organization}.`],
  button: { label: 'Sign in', url: link.url },
  notes: [
    `It works once, for ${String(link.minutes)} minutes. A newer link takes its place.`,
    'If you did not ask for it, ignore this letter: nobody gets in without the link. Never pass it on.',
  ],
})

export const verification = (reader: Reader, link: { url: string; expiresAt: string }): Content => ({
  subject: 'Confirm your e-mail address',
  title: 'Confirm your address',
  paragraphs: [
    hello(reader),
    `This is the e-mail address of your account at ${reader.organization}. Please confirm that it is yours.`,
  ],
  button: { label: 'Confirm the address', url: link.url },
  notes: [
    `This link works until ${moment(link.expiresAt)}.`,
    'If you have no account there, ignore this letter: without the link the address stays unconfirmed.',
  ],
})

/** Tells a person of something done to their account, by themselves or not. */
const notice = (
  reader: Reader,
  { subject, what, at }: { subject: string; what: string; at: string },
  advice = 'If it was not, sign in and look at your sign-in methods and sessions, and tell your administrator.',
): Content => ({
  subject,
  title: subject,
  paragraphs: [
    hello(reader),
    `${what} (${moment(at)}).`,
    `If this was you, there is nothing to do. ${advice}`,
  ],
  button: { label: 'Look at your account', url: `${reader.publicUrl}/account` },
  notes: [],
})

const methodNames: Readonly<Record<MethodKind, string>> = {
  passkey: 'A passkey',
  security_key: 'A security key',
  authenticator_code: 'An authenticator app',
  linked_account: 'An account at an identity provider',
}

export const methodAdded = (reader: Reader, method: MethodKind, at: string): Content =>
  notice(reader, {
    subject: 'A way to sign in was added',
    what: `${methodNames[method]} can now be used to sign in to your account at ${reader.organization}`,
    at,
  })

export const methodRemoved = (reader: Reader, at: string): Content =>
  notice(reader, {
    subject: 'A way to sign in was removed',
    what: `One of the ways to sign in to your account at ${reader.organization} was removed`,
    at,
  })

/** @param link null when it is used up or handed out otherwise */
export const methodsReset = (
  reader: Reader,
  at: string,
  link: { url: string; expiresAt: string } | null,
): Content => ({
  subject: 'Your sign-in methods were reset',
  title: 'Your sign-in methods were reset',
  paragraphs: [
    hello(reader),
    `All ways to sign in to your account at ${reader.organization} were removed, and you were signed out everywhere (${moment(at)}).`,
    link === null
      ? 'If you do not know of this, tell your administrator.'
      : 'Choose anew how you want to sign in. If you do not know of this, tell your administrator.',
  ],
  ...(link === null ? {} : { button: { label: 'Set up how you sign in', url: link.url } }),
  notes: link === null ? [] : [until(link.expiresAt)],
})

export const recoveryCodesGenerated = (reader: Reader, at: string): Content =>
  notice(reader, {
    subject: 'New recovery codes were made',
    what: `New recovery codes were made for your account at ${reader.organization}; earlier ones are void`,
    at,
  })

export const recoveryCodeUsed = (reader: Reader, at: string): Content =>
  notice(reader, {
    subject: 'A recovery code was used',
    what: `One of your recovery codes was used to sign in to your account at ${reader.organization}`,
    at,
  })

export const addressChanged = (reader: Reader, at: string): Content => {
  const { button: _, ...content } = notice(
    reader,
    {
      subject: 'Your e-mail address was changed',
      what: `Your account at ${reader.organization} now has another e-mail address; letters will not come here any more`,
      at,
    },
    'If it was not, tell your administrator at once.',
  )
  return content
}

export const lockedOut = (reader: Reader, at: string, ends: string): Content =>
  notice(
    reader,
    {
      subject: 'Too many wrong codes',
      what: `Too many wrong codes were typed for your account at ${reader.organization}`,
      at,
    },
    `If it was not, somebody may have tried to get in. Codes do not work until ${moment(ends)}; passkeys do.`,
  )
