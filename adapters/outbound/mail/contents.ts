/** The contents of the emails that the service sends, in the language of their reader. */
import { formatLocale, type Language } from '../../kernel/language.ts'
import type { AccessRequestRow } from '../../../read-models/queries/access-requests.ts'
import type { AccessReviewRow } from '../../../read-models/queries/access-reviews.ts'
import type { SignInRow } from '../../../read-models/queries/sign-ins.ts'
import type { MethodKind } from '../../engines/postgres/mail-queue.ts'
import { emailTexts } from './email-texts.ts'
import type { Content } from './render-email.ts'

export interface Reader {
  readonly name: string
  readonly organization: string
  /** Without a trailing slash */
  readonly publicUrl: string
  /** Default: English */
  readonly language?: Language
}

const wordsFor = ({ language = 'en' }: Reader) => emailTexts[language]

const moment = ({ language = 'en' }: Reader, iso: string): string => {
  const format = new Intl.DateTimeFormat(formatLocale[language], {
    ...({ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const),
  })
  return `${format.format(new Date(iso))} UTC`
}

export const invitation = (reader: Reader, link: { url: string; expiresAt: string }): Content => {
  const { invitation: text, hello, worksOnceUntil } = wordsFor(reader)
  return {
    subject: text.subject(reader.organization),
    title: text.title(reader.organization),
    paragraphs: [hello(reader.name), text.what],
    button: { label: text.button, url: link.url },
    notes: [worksOnceUntil(moment(reader, link.expiresAt)), text.unexpected],
  }
}

export const magicLink = (reader: Reader, link: { url: string; minutes: number }): Content => {
  const { magicLink: text, hello } = wordsFor(reader)
  return {
    subject: text.subject(reader.organization),
    title: text.title,
    paragraphs: [hello(reader.name), text.what(reader.organization)],
    button: { label: text.button, url: link.url },
    notes: [text.works(link.minutes), text.unexpected],
  }
}

export const verification = (reader: Reader, link: { url: string; expiresAt: string }): Content => {
  const { verification: text, hello, worksUntil } = wordsFor(reader)
  return {
    subject: text.subject,
    title: text.title,
    paragraphs: [hello(reader.name), text.what(reader.organization)],
    button: { label: text.button, url: link.url },
    notes: [worksUntil(moment(reader, link.expiresAt)), text.unexpected],
  }
}

/** Notifies a user of a change to their account, made by themselves or by someone else. */
const notice = (
  reader: Reader,
  { subject, what, at }: { subject: string; what: string; at: string },
  advice = wordsFor(reader).ifNotYou,
): Content => {
  const { hello, noticed, ifYou, openAccount } = wordsFor(reader)
  return {
    subject,
    title: subject,
    paragraphs: [hello(reader.name), noticed(what, moment(reader, at)), ifYou(advice)],
    button: { label: openAccount, url: `${reader.publicUrl}/account` },
    notes: [],
  }
}

export const methodAdded = (reader: Reader, method: MethodKind, at: string): Content => {
  const { methodAdded: text, methods } = wordsFor(reader)
  return notice(reader, { subject: text.subject, what: text.what(methods[method], reader.organization), at })
}

export const methodRemoved = (reader: Reader, at: string): Content => {
  const { subject, what } = wordsFor(reader).methodRemoved
  return notice(reader, { subject, what: what(reader.organization), at })
}

/** @param link null if it was already used or delivered another way */
export const methodsReset = (
  reader: Reader,
  at: string,
  link: { url: string; expiresAt: string } | null,
): Content => {
  const { methodsReset: text, hello, worksOnceUntil } = wordsFor(reader)
  return {
    subject: text.subject,
    title: text.subject,
    paragraphs: [
      hello(reader.name),
      text.what(reader.organization, moment(reader, at)),
      link === null ? text.unexpected : text.choose,
    ],
    ...(link === null ? {} : { button: { label: text.button, url: link.url } }),
    notes: link === null ? [] : [worksOnceUntil(moment(reader, link.expiresAt))],
  }
}

/** A link to the page where the request is decided; following it decides nothing. */
export const approvalRequested = (
  reader: Reader,
  request: AccessRequestRow,
  isReminder: boolean,
): Content => {
  const { approvalRequested: text, hello } = wordsFor(reader)
  const { packageName, requester, forUser, justification, expiresAt } = request
  const isForOther = requester.id !== forUser.id
  return {
    subject: (isReminder ? text.reminder : text.subject)(forUser.name, packageName),
    title: isReminder ? text.stillNeeded : text.title,
    paragraphs: [
      hello(reader.name),
      isForOther
        ? text.whatForOther(requester.name, packageName, forUser.name)
        : text.what(requester.name, packageName),
      ...(justification === null ? [] : [text.reason(justification)]),
    ],
    button: { label: text.button, url: `${reader.publicUrl}/account/approvals#${request.id}` },
    notes: [...(expiresAt === null ? [] : [text.until(moment(reader, expiresAt))]), text.nothingHappens],
  }
}

export const accessRequestDecided = (reader: Reader, request: AccessRequestRow): Content => {
  const { accessRequestDecided: text, hello } = wordsFor(reader)
  const { packageName, status, decisions } = request
  const comment = status === 'denied' ? (decisions.at(-1)?.comment ?? null) : null
  const what = {
    pending: text.waiting,
    approved: text.waiting,
    cancelled: text.waiting,
    delivered: request.type === 'remove' ? text.removed : text.delivered,
    scheduled: text.scheduled,
    denied: text.denied,
    expired: text.expired,
    failed: text.failed,
  }[status]
  return {
    subject: text.subject(packageName),
    title: text.title,
    paragraphs: [hello(reader.name), what(packageName), ...(comment === null ? [] : [text.comment(comment)])],
    button: { label: text.button, url: `${reader.publicUrl}/account/access` },
    notes: [],
  }
}

/** Asks a reviewer to decide the items of an access review. */
export const accessReviewOpened = (
  reader: Reader,
  { name, endsAt }: Pick<AccessReviewRow, 'name' | 'endsAt'>,
  count: number,
): Content => {
  const { accessReviewOpened: text, hello } = wordsFor(reader)
  return {
    subject: text.subject(name),
    title: text.title,
    paragraphs: [hello(reader.name), text.what(name, count)],
    button: { label: text.button, url: `${reader.publicUrl}/account/reviews` },
    notes: [...(endsAt === null ? [] : [text.until(moment(reader, endsAt))]), text.nothingHappens],
  }
}

/** Text that administrators wrote for a lifecycle rule: paragraphs, as they are. */
export const lifecycleMessage = (
  reader: Reader,
  { subject, text }: { subject: string; text: string },
): Content => ({
  subject,
  title: subject,
  paragraphs: text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== ''),
  notes: [wordsFor(reader).lifecycleMessage.note(reader.organization)],
})

export const lifecycleRulePaused = (
  reader: Reader,
  rule: { id: string; name: string; users: number; limit: number },
): Content => {
  const { lifecyclePaused: text, hello } = wordsFor(reader)
  return {
    subject: text.subject(rule.name),
    title: text.title,
    paragraphs: [hello(reader.name), text.what(rule.name, rule.users, rule.limit), text.advice],
    button: { label: text.button, url: `${reader.publicUrl}/console/lifecycle/${rule.id}` },
    notes: [],
  }
}

export const recoveryCodesGenerated = (reader: Reader, at: string): Content => {
  const { subject, what } = wordsFor(reader).codesGenerated
  return notice(reader, { subject, what: what(reader.organization), at })
}

export const recoveryCodeUsed = (reader: Reader, at: string): Content => {
  const { subject, what } = wordsFor(reader).codeUsed
  return notice(reader, { subject, what: what(reader.organization), at })
}

export const addressChanged = (reader: Reader, at: string): Content => {
  const { subject, what, advice } = wordsFor(reader).addressChanged
  const { button: _, ...content } = notice(reader, { subject, what: what(reader.organization), at }, advice)
  return content
}

/** Asks whether an unusual sign-in, or an attempt that access policies stopped, was the user's own. */
export const newSignIn = (
  reader: Reader,
  signIn: Pick<SignInRow, 'id' | 'time' | 'result' | 'device' | 'location' | 'ip'>,
): Content => {
  const { newSignIn: text, hello } = wordsFor(reader)
  const { id, time, result, device, location, ip } = signIn
  return {
    subject: text.subject(reader.organization),
    title: text.title,
    paragraphs: [
      hello(reader.name),
      result === 'success' ? text.signedIn(reader.organization) : text.stopped(reader.organization),
      text.facts(moment(reader, time), device ?? text.unknown, location ?? ip ?? text.unknown),
      text.advice,
    ],
    button: { label: text.button, url: `${reader.publicUrl}/account/activity#${id}` },
    notes: [],
  }
}

/** Tells an administrator that somebody signed in to the break-glass account. */
export const breakGlassUsed = (
  reader: Reader,
  {
    id,
    time,
    email,
    device,
    location,
    ip,
  }: Pick<SignInRow, 'id' | 'time' | 'email' | 'device' | 'location' | 'ip'>,
): Content => {
  const { breakGlass: text, newSignIn: words, hello } = wordsFor(reader)
  return {
    subject: text.subject(reader.organization),
    title: text.title,
    paragraphs: [
      hello(reader.name),
      text.what(email ?? words.unknown, reader.organization),
      words.facts(moment(reader, time), device ?? words.unknown, location ?? ip ?? words.unknown),
      text.advice,
    ],
    button: { label: text.button, url: `${reader.publicUrl}/console/sign-ins/${id}` },
    notes: [],
  }
}

export const lockedOut = (reader: Reader, at: string, ends: string): Content => {
  const { subject, what, advice } = wordsFor(reader).lockedOut
  return notice(reader, { subject, what: what(reader.organization), at }, advice(moment(reader, ends)))
}
