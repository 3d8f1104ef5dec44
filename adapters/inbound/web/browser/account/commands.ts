/** The actions of the account's forms and buttons. */
import { call } from '../lib/api.ts'
import { leaveFor } from '../lib/page.ts'
import { createPasskey } from '../lib/passkey.ts'
import { finishAuthenticator, renewRecoveryCodes } from './authenticator.ts'
import { getCertificate } from './ssh-certificate.ts'
import { reloadSaying, signInAgain, type Outcome } from './page.ts'

export interface Sent {
  readonly dialog: HTMLDialogElement | null
  /** Id of the dialog's subject */
  readonly id: string
  /** The form's fields by name, trimmed; empty if missing */
  readonly field: (name: string) => string
}

const item = (list: string, id: string): string => `/me/${list}/${encodeURIComponent(id)}`

const addPasskey = (name: string, wish: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  createPasskey('/me/methods/passkey/options', '/me/methods/passkey/verify', name, wish)

/** Whom a manager requests for. */
const forReport = (field: Sent['field']): { readonly forUserId?: string } => {
  const forUserId = field('forUserId')
  return forUserId === '' ? {} : { forUserId }
}

/** The answers to the questions of an access package; those that were left empty are left out. */
const answersIn = (dialog: HTMLDialogElement | null): Readonly<Record<string, string | boolean>> => {
  const controls = [
    ...(dialog?.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-question]') ?? []),
  ]
  return Object.fromEntries(
    controls.flatMap((control): [string, string | boolean][] => {
      if (control instanceof HTMLInputElement && control.type === 'checkbox')
        return [[control.name, control.checked]]
      const value = control.value.trim()
      return value === '' ? [] : [[control.name, value]]
    }),
  )
}

/** The actions of forms, by form name. */
export const submits: Readonly<Record<string, (sent: Sent) => Promise<Outcome>>> = {
  profile: async ({ field }) => {
    const [locale, timeZone] = [field('locale'), field('timeZone')]
    await call('PATCH', '/me', {
      name: field('name'),
      locale: locale === '' ? null : locale,
      timeZone: timeZone === '' ? null : timeZone,
    })
    return reloadSaying('profileSaved', 'profile')
  },
  add: async ({ field }) => {
    await addPasskey(field('name'))
    return reloadSaying('passkeyReady', 'methods')
  },
  'add-key': async ({ field }) => {
    await addPasskey(field('name'), { kind: 'security_key' })
    return reloadSaying('keyReady', 'methods')
  },
  'add-app': async ({ dialog, field }) => {
    if (dialog) await finishAuthenticator(dialog, field('code'), field('name'))
    return reloadSaying('appReady', 'methods')
  },
  codes: async ({ dialog }) => {
    await renewRecoveryCodes(dialog)
    return reloadSaying('codesActive', 'recovery-codes')
  },
  rename: async ({ id, field }) => {
    await call('PATCH', item('methods', id), { name: field('name') })
    return reloadSaying('methodRenamed', 'methods')
  },
  remove: async ({ id }) => {
    await call('DELETE', item('methods', id))
    return reloadSaying('methodRemoved', 'methods')
  },
  unlink: async ({ id }) => {
    await call('DELETE', item('linked-accounts', id))
    return reloadSaying('linkRemoved', 'methods')
  },
  'rename-device': async ({ id, field }) => {
    await call('PATCH', item('devices', id), { name: field('name') })
    return reloadSaying('deviceRenamed', 'devices')
  },
  'remove-device': async ({ id }) => {
    await call('DELETE', item('devices', id))
    return reloadSaying('deviceRemoved', 'devices')
  },
  report: async ({ id, field }) => {
    const note = field('note')
    await call('POST', '/me/report-activity', { signInId: id, ...(note === '' ? {} : { note }) })
    return reloadSaying('signInReported', 'sign-ins')
  },
  'request-package': async ({ dialog, id, field }) => {
    const [justification, requestedDuration] = [field('justification'), field('requestedDuration')]
    await call('POST', '/me/access-requests', {
      packageId: id,
      type: field('type'),
      answers: answersIn(dialog),
      ...forReport(field),
      ...(justification === '' ? {} : { justification }),
      ...(requestedDuration === '' ? {} : { requestedDuration }),
    })
    return reloadSaying('packageRequested', 'requests')
  },
  'give-up': async ({ id, field }) => {
    await call('POST', '/me/access-requests', { packageId: id, type: 'remove', ...forReport(field) })
    return reloadSaying('packageGivenUp', 'packages')
  },
  'cancel-request': async ({ id }) => {
    await call('POST', `${item('access-requests', id)}/cancel`)
    return reloadSaying('requestCancelled', 'requests')
  },
  'approve-request': async ({ id, field }) => {
    const comment = field('comment')
    await call(
      'POST',
      `/access-requests/${encodeURIComponent(id)}/approve`,
      comment === '' ? {} : { comment },
    )
    return reloadSaying('requestApproved', 'approvals')
  },
  'deny-request': async ({ id, field }) => {
    await call('POST', `/access-requests/${encodeURIComponent(id)}/deny`, { comment: field('comment') })
    return reloadSaying('requestDenied', 'approvals')
  },
  'get-certificate': async ({ dialog, field }) => {
    await getCertificate(dialog, field('publicKey'))
    return 'staying'
  },
  'revoke-certificate': async ({ id }) => {
    await call('POST', `${item('ssh/certificates', id)}/revoke`)
    return reloadSaying('certificateRevoked', 'ssh')
  },
  'sign-out': async () => {
    await call('POST', '/auth/sign-out')
    return leaveFor('/signed-out')
  },
  again: () => Promise.resolve(signInAgain()),
  stronger: () => Promise.resolve(signInAgain()),
}

/** The actions of buttons, by `data-action`. */
export const actions: Readonly<Record<string, (id: string) => Promise<Outcome>>> = {
  'end-session': async (id) => {
    await call('DELETE', item('sessions', id))
    return reloadSaying('sessionEnded', 'sessions')
  },
  'verify-email': async () => {
    await call('POST', '/me/verify-email')
    return reloadSaying('emailSent', 'profile')
  },
  'link-account': async (identityProviderId) => {
    const { redirectTo } = await call<{ readonly redirectTo: string }>('POST', '/me/linked-accounts', {
      identityProviderId,
    })
    return leaveFor(redirectTo)
  },
  'end-others': async () => {
    await call('POST', '/me/sessions/revoke-others')
    return reloadSaying('othersEnded', 'sessions')
  },
}
