import type { SignInAttempt } from '../../../../domain/sign-in/events.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { icons } from '../kit/icons.ts'
import { moment } from '../kit/layout.ts'
import { empty, section } from './frame.ts'

export interface AccountSignIn {
  readonly time: string
  readonly result: SignInAttempt['result']
  readonly method: SignInAttempt['method']
  readonly reason: SignInAttempt['reason']
  readonly device: string
  readonly place: string
  /** What was opened; absent for the service's own pages. */
  readonly application?: string | undefined
}

const ways: Readonly<Record<NonNullable<SignInAttempt['method']>, string>> = {
  passkey: 'Passkey',
  security_key: 'Security key',
  authenticator_code: 'Authenticator app',
  recovery_code: 'Recovery code',
  magic_link: 'Link by e-mail',
  identity_provider: 'Linked account',
  enrollment_link: 'Setup link',
  device_code: 'Code on another device',
  session: 'Already signed in',
}

const reasons: Readonly<Record<NonNullable<SignInAttempt['reason']>, string>> = {
  unknown_user: 'the address is unknown',
  bad_passkey: 'the passkey was not accepted',
  bad_code: 'the code was wrong',
  code_reused: 'the code had been used before',
  too_many_attempts: 'there were too many wrong codes',
  link_expired: 'the link had expired',
  account_suspended: 'the account was suspended',
  account_not_active: 'the account was not set up yet',
  method_not_allowed: 'this way to sign in is not allowed',
  not_assigned: 'the application is not yours to use',
  blocked_by_policy: 'an access policy blocked it',
  app_disabled: 'the application is switched off',
  request_expired: 'it took too long',
  stronger_auth_required: 'the application asks for a stronger way',
  reauth_required: 'the application asks for a new sign-in',
  cancelled: 'it was cancelled',
}

const results: Readonly<
  Record<AccountSignIn['result'], { readonly label: string; readonly icon: Html; readonly look: string }>
> = {
  success: { label: 'Signed in', icon: icons.done, look: 'done' },
  failure: { label: 'Failed', icon: icons.alert, look: 'problem' },
  interrupted: { label: 'Not finished', icon: icons.clock, look: 'plain' },
}

const row = ({ time, result, method, reason, device, place, application }: AccountSignIn): Html => {
  const { label, icon, look } = results[result]
  return html`<li>
    <span class="glyph glyph-${look}">${icon}</span>
    <div>
      <p class="row-title">
        ${label}${application !== undefined && html` to ${application}`}
        ${method !== null && html`<span class="soft">${ways[method]}</span>`}
      </p>
      <p class="row-detail">
        ${moment(time)}, ${device}, ${place}.${reason !== null && html` Why: ${reasons[reason]}.`}
      </p>
    </div>
  </li>`
}

export const signInsSection = (all: readonly AccountSignIn[]): Html =>
  section({
    id: 'sign-ins',
    title: 'Recent sign-ins',
    hint: 'If something here was not you, end that session, remove what you do not know from your ways to sign in, and tell your administrator.',
    body:
      all.length > 0
        ? html`<ul class="rows">
            ${all.map(row)}
          </ul>`
        : empty('None yet.'),
  })
