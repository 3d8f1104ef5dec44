import { html, type Html } from '../../../kernel/html.ts'
import { moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { section } from './frame.ts'

export interface AccountRecoveryCodes {
  readonly remaining: number
  /** Omitted if there never were any */
  readonly generatedAt?: string | undefined
}

const left = ({ remaining, generatedAt }: AccountRecoveryCodes): Html => {
  if (generatedAt === undefined) return html`<p class="empty">You have no recovery codes yet.</p>`
  const few = remaining <= 2 ? html` Create new ones before you run out.` : ''
  return html`<p>
    <strong>${remaining === 1 ? '1 code is left' : `${remaining} codes are left`}</strong>, created
    ${moment(generatedAt)}.${few}
  </p>`
}

export const recoveryCodesSection = (codes: AccountRecoveryCodes): Html =>
  section({
    id: 'recovery-codes',
    title: 'Recovery codes',
    hint: 'Each code signs you in once if you cannot use another method. Print them or keep them in a safe place.',
    body: html`${left(codes)}
      <div class="actions section-foot needs-script">
        <button class="button button-small" type="button" data-open="codes">Create new recovery codes</button>
      </div>`,
  })

export const recoveryCodesDialog = ({ remaining }: AccountRecoveryCodes): Html =>
  dialog({
    name: 'codes',
    title: 'Create new recovery codes?',
    body: html`<p>You get ten new codes. They are shown only once.</p>
      ${remaining > 0 && html`<p>Your current codes stop working.</p>`}`,
    confirm: 'Create new codes',
  })

/** The dialog in which the script shows new codes: requested ones, and those created with a first authenticator app. */
export const newCodesDialog = (): Html => html`<dialog id="new-codes-dialog"></dialog>`
