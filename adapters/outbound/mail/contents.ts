/** The texts of the emails that the service sends. */
import type { MethodKind } from '../../engines/postgres/mail-queue.ts'
import type { Content } from './render-email.ts'

export interface Reader {
  readonly name: string
  readonly organization: string
  /** Without a trailing slash */
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
    'An account was created for you. Choose how you want to sign in. It takes a minute, and you need no password.',
  ],
  button: { label: 'Set up your account', url: link.url },
  notes: [until(link.expiresAt), 'If you did not expect this invitation, you can ignore this email.'],
})

export const magicLink = (reader: Reader, link: { url: string; minutes: number }): Content => ({
  subject: `Sign in to ${reader.organization}`,
  title: 'Your sign-in link',
  paragraphs: [hello(reader), `Use this link to sign in to ${reader.organization}.`],
  button: { label: 'Sign in', url: link.url },
  notes: [
    `It works once, for ${String(link.minutes)} minutes. Requesting a newer link replaces it.`,
    'If you did not request it, ignore this email: nobody can sign in without the link. Never share it.',
  ],
})

export const verification = (reader: Reader, link: { url: string; expiresAt: string }): Content => ({
  subject: 'Confirm your email address',
  title: 'Confirm your address',
  paragraphs: [
    hello(reader),
    `This is the email address of your account at ${reader.organization}. Please confirm that it is yours.`,
  ],
  button: { label: 'Confirm address', url: link.url },
  notes: [
    `This link works until ${moment(link.expiresAt)}.`,
    'If you have no account there, ignore this email: the address stays unconfirmed.',
  ],
})

/** Notifies a user of a change to their account, made by themselves or by someone else. */
const notice = (
  reader: Reader,
  { subject, what, at }: { subject: string; what: string; at: string },
  advice = 'If not, sign in, check your sign-in methods and sessions, and tell your administrator.',
): Content => ({
  subject,
  title: subject,
  paragraphs: [
    hello(reader),
    `${what} (${moment(at)}).`,
    `If this was you, you do not need to do anything. ${advice}`,
  ],
  button: { label: 'Open your account', url: `${reader.publicUrl}/account` },
  notes: [],
})

const methodNames: Readonly<Record<MethodKind, string>> = {
  passkey: 'A passkey',
  security_key: 'A security key',
  authenticator_code: 'An authenticator app',
  linked_account: 'A linked account',
}

export const methodAdded = (reader: Reader, method: MethodKind, at: string): Content =>
  notice(reader, {
    subject: 'A sign-in method was added',
    what: `${methodNames[method]} can now be used to sign in to your account at ${reader.organization}`,
    at,
  })

export const methodRemoved = (reader: Reader, at: string): Content =>
  notice(reader, {
    subject: 'A sign-in method was removed',
    what: `One of the sign-in methods of your account at ${reader.organization} was removed`,
    at,
  })

/** @param link null if it was already used or delivered another way */
export const methodsReset = (
  reader: Reader,
  at: string,
  link: { url: string; expiresAt: string } | null,
): Content => ({
  subject: 'Your sign-in methods were reset',
  title: 'Your sign-in methods were reset',
  paragraphs: [
    hello(reader),
    `All sign-in methods of your account at ${reader.organization} were removed, and you were signed out everywhere (${moment(at)}).`,
    link === null
      ? 'If you did not expect this, tell your administrator.'
      : 'Choose how you want to sign in. If you did not expect this, tell your administrator.',
  ],
  ...(link === null ? {} : { button: { label: 'Set up sign-in', url: link.url } }),
  notes: link === null ? [] : [until(link.expiresAt)],
})

export const recoveryCodesGenerated = (reader: Reader, at: string): Content =>
  notice(reader, {
    subject: 'New recovery codes were created',
    what: `New recovery codes were created for your account at ${reader.organization}, and the old codes no longer work`,
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
      subject: 'Your email address was changed',
      what: `Your account at ${reader.organization} now has another email address, and emails are no longer sent to this one`,
      at,
    },
    'If not, tell your administrator immediately.',
  )
  return content
}

export const lockedOut = (reader: Reader, at: string, ends: string): Content =>
  notice(
    reader,
    {
      subject: 'Too many wrong codes',
      what: `Someone entered too many wrong codes for your account at ${reader.organization}`,
      at,
    },
    `If not, someone may be trying to sign in to your account. Codes are blocked until ${moment(ends)}; passkeys still work.`,
  )
