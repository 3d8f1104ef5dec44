import type { Language } from '../../../kernel/language.ts'
import { germanTexts } from './error-texts-german.ts'

/** The text of an error page. */
export interface ErrorText {
  readonly status: number
  readonly title: string
  readonly message: string
}

const thisApplication: Readonly<Record<Language, string>> = {
  en: 'this application',
  de: 'diese Anwendung',
}

const texts = {
  ERR_NOT_ASSIGNED: {
    status: 403,
    title: 'You do not have access to this application',
    message: 'None of your groups has access to {application}. Ask your administrator for access.',
  },
  ERR_AUTH_REQUEST_EXPIRED: {
    status: 404,
    title: 'This sign-in has expired',
    message:
      'The request from {application} has expired or was already used. Go back to the application and sign in again.',
  },
  ERR_LINK_EXPIRED: {
    status: 404,
    title: 'This link no longer works',
    message:
      'It has expired, was already used, or was replaced by a newer link. Ask your administrator for a new one.',
  },
  ERR_ACCOUNT_SUSPENDED: {
    status: 403,
    title: 'Your account is suspended',
    message: 'You cannot sign in. If you think this is a mistake, contact your administrator.',
  },
  ERR_PROVIDER_REQUIRED: {
    status: 403,
    title: "Sign in with your organization's account",
    message:
      'Users of your email domain sign in with the identity provider of their organization. Choose it on the sign-in page.',
  },
  ERR_BLOCKED_BY_POLICY: {
    status: 403,
    title: 'This sign-in was blocked',
    message: 'The security policy of your organization does not allow this sign-in. Ask your administrator.',
  },
  ERR_REAUTH_REQUIRED: {
    status: 401,
    title: 'Please sign in again',
    message: '{application} requires you to sign in again.',
  },
  ERR_STRONGER_AUTH_REQUIRED: {
    status: 403,
    title: 'Passkey required',
    message: '{application} requires a passkey or security key. Sign in again with one.',
  },
  ERR_CEREMONY_EXPIRED: {
    status: 400,
    title: 'That took too long',
    message: 'For your security, this step expires after a few minutes. Start again.',
  },
  ERR_REGISTRATION_FAILED: {
    status: 400,
    title: 'The passkey was not created',
    message: 'We could not verify what your device sent. Try again, or use another device or key.',
  },
  ERR_PASSKEY_REJECTED: {
    status: 401,
    title: 'This passkey does not work here',
    message: 'It may have been removed from your account. Try another one, or ask your administrator.',
  },
  ERR_CODE_MISMATCH: {
    status: 401,
    title: 'This code does not work',
    message:
      'It is wrong or was already used. Wait for the next code from your app, or use another recovery code.',
  },
  ERR_DEVICE_CODE: {
    status: 404,
    title: 'This code does not work',
    message: 'It is wrong, has expired or was already used. Start again on the other device.',
  },
  ERR_LAST_METHOD: {
    status: 409,
    title: 'This is your last sign-in method',
    message: 'You cannot remove it, because you could no longer sign in. Add another method first.',
  },
  ERR_TOO_MANY_ATTEMPTS: {
    status: 429,
    title: 'Too many wrong codes',
    message: 'For your security, codes are blocked for a while. You can still use a passkey.',
  },
  ERR_RATE_LIMITED: {
    status: 429,
    title: 'Too many attempts',
    message: 'There were too many attempts in a short time. Wait a minute, then try again.',
  },
  ERR_INVALID_CLIENT: {
    status: 400,
    title: 'Unknown application',
    message: 'The link that you followed is for an application that does not exist or is disabled.',
  },
  ERR_INVALID_REDIRECT_URI: {
    status: 400,
    title: 'This sign-in cannot continue',
    message:
      'The return address sent by {application} is not registered, so you were not sent there. ' +
      'Contact the owner of the application.',
  },
  ERR_INVALID_SAML_REQUEST: {
    status: 400,
    title: 'This sign-in cannot continue',
    message: 'The request sent by {application} is invalid. ' + 'Contact the owner of the application.',
  },
  ERR_INVALID_LOGOUT: {
    status: 400,
    title: 'This sign-out cannot continue',
    message:
      'The request sent by {application} is invalid, so you were not signed out. ' +
      'You can sign out from your account page.',
  },
  ERR_CROSS_SITE: {
    status: 403,
    title: 'Request from another website',
    message: 'For your security, we ignored this request. Continue from your account page.',
  },
  ERR_NO_ROUTE: {
    status: 404,
    title: 'Page not found',
    message: 'Nothing was found at this address. Check the link, or go to your account page.',
  },
  ERR_UNAVAILABLE: {
    status: 503,
    title: 'Temporarily unavailable',
    message: 'The service is unavailable right now. Nothing is lost. Try again in a minute.',
  },
  ERR_INTERNAL: {
    status: 500,
    title: 'Something went wrong',
    message:
      'This is our fault. Try again. If it happens again, give your administrator the reference below.',
  },
} as const satisfies Record<string, ErrorText>

type ErrorTextCode = keyof typeof texts

const german: Readonly<Record<ErrorTextCode, Omit<ErrorText, 'status'>>> = germanTexts

/** Whether a code, possibly from an untrusted address, has its own text. */
export const hasErrorText = (code: string): boolean => Object.hasOwn(texts, code)

/**
 * Returns the text for an error code; an unknown code gets the text of an internal error. Contains the name of the
 * application if it is known.
 */
export const errorText = (code: string, application?: string, language: Language = 'en'): ErrorText => {
  const known = hasErrorText(code) ? (code as ErrorTextCode) : 'ERR_INTERNAL'
  const text: ErrorText = { ...texts[known], ...(language === 'de' ? german[known] : {}) }
  const anyApplication = thisApplication[language]
  const fill = (sentence: string): string => {
    const filled = sentence.replaceAll('{application}', () => application ?? anyApplication)
    return filled.startsWith(anyApplication) ? filled.charAt(0).toUpperCase() + filled.slice(1) : filled
  }
  return { status: text.status, title: text.title, message: fill(text.message) }
}
