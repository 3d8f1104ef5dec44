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
  /** The opened application; absent for the service's own pages. */
  readonly application?: string | undefined
}

const ways: Readonly<Record<NonNullable<SignInAttempt['method']>, string>> = {
  passkey: 'Passkey',
  security_key: 'Security key',
  authenticator_code: 'Authenticator app',
  recovery_code: 'Recovery code',
  magic_link: 'Email link',
  identity_provider: 'Linked account',
  enrollment_link: 'Setup link',
  device_code: 'Code on another device',
  session: 'Already signed in',
}

const reasons: Readonly<Record<NonNullable<SignInAttempt['reason']>, string>> = {
  unknown_user: 'unknown email address',
  bad_passkey: 'passkey rejected',
  bad_code: 'wrong code',
  code_reused: 'code already used',
  too_many_attempts: 'too many wrong codes',
  link_expired: 'link expired',
  account_suspended: 'account suspended',
  account_not_active: 'account setup not finished',
  method_not_allowed: 'sign-in method not allowed',
  not_assigned: 'no access to the application',
  blocked_by_policy: 'blocked by an access policy',
  app_disabled: 'application disabled',
  request_expired: 'timed out',
  stronger_auth_required: 'application requires a stronger method',
  reauth_required: 'application requires a new sign-in',
  cancelled: 'cancelled',
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
        ${moment(time)}, ${device}, ${place}.${reason !== null && html` Reason: ${reasons[reason]}.`}
      </p>
    </div>
  </li>`
}

export const signInsSection = (all: readonly AccountSignIn[]): Html =>
  section({
    id: 'sign-ins',
    title: 'Recent sign-ins',
    hint: 'If you do not recognize a sign-in, end that session, remove any sign-in method that you do not recognize, and tell your administrator.',
    body:
      all.length > 0
        ? html`<ul class="rows">
            ${all.map(row)}
          </ul>`
        : empty('No sign-ins yet.'),
  })
