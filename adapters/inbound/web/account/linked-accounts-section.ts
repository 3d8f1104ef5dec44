import { html, type Html } from '../../../kernel/html.ts'
import { icons } from '../kit/icons.ts'
import { address, moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { removes, section } from './frame.ts'

export interface AccountLink {
  readonly id: string
  /** The address that the identity provider returned */
  readonly email?: string | undefined
  readonly linkedAt: string
}

const row = ({ id, email, linkedAt }: AccountLink): Html =>
  html`<li>
    <span class="glyph">${icons.link}</span>
    <div>
      <p class="row-title">${email ? address(email) : 'External account'}</p>
      <p class="row-detail">Linked ${moment(linkedAt)}.</p>
    </div>
    <div class="actions needs-script">
      ${removes('unlink', { id, name: email ?? 'the external account' })}
    </div>
  </li>`

/** Hidden for users without linked accounts: an account is linked by signing in with it. */
export const linkedAccountsSection = (all: readonly AccountLink[]): Html | false =>
  all.length > 0 &&
  section({
    id: 'linked-accounts',
    title: 'Linked accounts',
    hint: 'External accounts that you can sign in with.',
    body: html`<ul class="rows">
      ${all.map(row)}
    </ul>`,
  })

export const linkedAccountsDialog = (): Html =>
  dialog({
    name: 'unlink',
    title: 'Remove this linked account?',
    body: html`<p>
      <strong data-subject></strong> can no longer be used to sign in here. Nothing changes at the other
      service.
    </p>`,
    confirm: 'Remove',
    look: 'problem',
  })
