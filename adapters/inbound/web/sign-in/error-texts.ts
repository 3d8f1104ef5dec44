/** What a person reads when a page cannot go on. */
export interface ErrorText {
  readonly status: number
  readonly title: string
  readonly message: string
}

const thisApplication = 'this application'

const texts = {
  ERR_NOT_ASSIGNED: {
    status: 403,
    title: 'You cannot use this application yet',
    message: 'You are not in a group that may use {application}. Ask your administrator for access.',
  },
  ERR_AUTH_REQUEST_EXPIRED: {
    status: 404,
    title: 'This sign-in has expired',
    message:
      'The request from {application} was already used or waited too long. Go back to it and sign in again.',
  },
  ERR_LINK_EXPIRED: {
    status: 404,
    title: 'This link no longer works',
    message:
      'It has expired, was already used, or a newer link replaced it. Ask your administrator for a new one.',
  },
  ERR_ACCOUNT_SUSPENDED: {
    status: 403,
    title: 'Your account is suspended',
    message: 'You cannot sign in at the moment. Ask your administrator if you think this is a mistake.',
  },
  ERR_BLOCKED_BY_POLICY: {
    status: 403,
    title: 'This sign-in was blocked',
    message: 'A security policy of your organization does not allow it from here. Ask your administrator.',
  },
  ERR_REAUTH_REQUIRED: {
    status: 401,
    title: 'Please sign in again',
    message: '{application} asks you to sign in again.',
  },
  ERR_STRONGER_AUTH_REQUIRED: {
    status: 403,
    title: 'A passkey is needed',
    message: '{application} asks for a passkey or security key. Sign in again with one.',
  },
  ERR_CEREMONY_EXPIRED: {
    status: 400,
    title: 'That took too long',
    message: 'For your safety this step stays open for a few minutes only. Start it again.',
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
      'It is wrong or was already used. Wait for the next code of your app, or use another recovery code.',
  },
  ERR_DEVICE_CODE: {
    status: 404,
    title: 'This code does not work',
    message: 'It is wrong, has expired or was already used. Start again on the other device.',
  },
  ERR_LAST_METHOD: {
    status: 409,
    title: 'This is your last way to sign in',
    message: 'It cannot be removed, or you could not get back in. Add another way first.',
  },
  ERR_TOO_MANY_ATTEMPTS: {
    status: 429,
    title: 'Too many wrong codes',
    message: 'For your safety codes are not taken for a while. A passkey works at any time.',
  },
  ERR_RATE_LIMITED: {
    status: 429,
    title: 'A little too fast',
    message: 'There were many attempts in a short time. Wait a minute, then try again.',
  },
  ERR_INVALID_CLIENT: {
    status: 400,
    title: 'We do not know this application',
    message: 'The link that brought you here names an application that does not exist or is switched off.',
  },
  ERR_INVALID_REDIRECT_URI: {
    status: 400,
    title: 'This sign-in cannot go on',
    message:
      'The return address that {application} sent is not registered, so nothing was sent there. ' +
      'Tell whoever runs the application.',
  },
  ERR_INVALID_SAML_REQUEST: {
    status: 400,
    title: 'This sign-in cannot go on',
    message:
      'The request that {application} sent has a mistake in it, so nothing was sent back. ' +
      'Tell whoever runs the application.',
  },
  ERR_INVALID_LOGOUT: {
    status: 400,
    title: 'This sign-out cannot go on',
    message:
      'The request that {application} sent has a mistake in it, so nobody was signed out. ' +
      'You can sign out from your account.',
  },
  ERR_CROSS_SITE: {
    status: 403,
    title: 'This came from another website',
    message: 'For your safety nothing was done. Go on from your account.',
  },
  ERR_NO_ROUTE: {
    status: 404,
    title: 'Page not found',
    message: 'There is nothing at this address. Check the link, or start from your account.',
  },
  ERR_UNAVAILABLE: {
    status: 503,
    title: 'Back in a moment',
    message: 'The service cannot answer right now. Nothing is lost; try again in a minute.',
  },
  ERR_INTERNAL: {
    status: 500,
    title: 'Something went wrong',
    message: 'The fault is on our side. Try again; if it stays, tell your administrator the reference below.',
  },
} as const satisfies Record<string, ErrorText>

/** Whether there is a text of its own for a code that anyone may have written into an address. */
export const hasErrorText = (code: string): boolean => Object.hasOwn(texts, code)

/** Text for an error code; an unknown code reads as an internal fault. The application is named when known. */
export const errorText = (code: string, application?: string): ErrorText => {
  const text: ErrorText = texts[hasErrorText(code) ? (code as keyof typeof texts) : 'ERR_INTERNAL']
  const fill = (sentence: string): string => {
    const filled = sentence.replaceAll('{application}', () => application ?? thisApplication)
    return filled.startsWith(thisApplication) ? `T${filled.slice(1)}` : filled
  }
  return { status: text.status, title: text.title, message: fill(text.message) }
}
