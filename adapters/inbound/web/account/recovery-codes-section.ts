import { html, type Html } from '../../../kernel/html.ts'
import { moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { section } from './frame.ts'

export interface AccountRecoveryCodes {
  readonly remaining: number
  /** Absent when there never were any. */
  readonly generatedAt?: string | undefined
}

const left = ({ remaining, generatedAt }: AccountRecoveryCodes): Html => {
  if (generatedAt === undefined) return html`<p class="empty">You have none yet.</p>`
  const few = remaining <= 2 ? html` Make new ones before you run out.` : ''
  return html`<p>
    <strong>${remaining === 1 ? '1 code is left' : `${remaining} codes are left`}</strong>, made
    ${moment(generatedAt)}.${few}
  </p>`
}

export const recoveryCodesSection = (codes: AccountRecoveryCodes): Html =>
  section({
    id: 'recovery-codes',
    title: 'Recovery codes',
    hint: 'Each signs you in once when you have nothing else at hand. Keep them on paper or in a safe place.',
    body: html`${left(codes)}
      <div class="actions section-foot needs-script">
        <button class="button button-small" type="button" data-open="codes">Make new recovery codes</button>
      </div>`,
  })

export const recoveryCodesDialog = ({ remaining }: AccountRecoveryCodes): Html =>
  dialog({
    name: 'codes',
    title: 'Make new recovery codes?',
    body: html`<p>You get ten new codes, shown this once.</p>
      ${remaining > 0 && html`<p>The codes that you have now stop working.</p>`}`,
    confirm: 'Make new codes',
  })

/** Where the script shows new codes: those asked for, and those that come with a first authenticator app. */
export const newCodesDialog = (): Html => html`<dialog id="new-codes-dialog"></dialog>`
