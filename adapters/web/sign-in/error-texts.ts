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
  ERR_RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    message: 'Too many requests came from your network. Wait a minute and try again.',
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

/** Text for an error code; an unknown code reads as an internal fault. The application is named when known. */
export const errorText = (code: string, application?: string): ErrorText => {
  const text: ErrorText = texts[Object.hasOwn(texts, code) ? (code as keyof typeof texts) : 'ERR_INTERNAL']
  const fill = (sentence: string): string => {
    const filled = sentence.replaceAll('{application}', () => application ?? thisApplication)
    return filled.startsWith(thisApplication) ? `T${filled.slice(1)}` : filled
  }
  return { status: text.status, title: text.title, message: fill(text.message) }
}
