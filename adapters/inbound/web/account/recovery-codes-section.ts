import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { section } from './frame.ts'

export interface AccountRecoveryCodes {
  readonly remaining: number
  /** Omitted if there never were any */
  readonly generatedAt?: string | undefined
}

const words = texts({
  en: {
    title: 'Recovery codes',
    hint: 'Each code signs you in once if you cannot use another method. Print them or keep them in a safe place.',
    none: 'You have no recovery codes yet.',
    left: (remaining: number): string => (remaining === 1 ? '1 code is left' : `${remaining} codes are left`),
    created: (at: Html) => html`, created ${at}.`,
    few: ' Create new ones before you run out.',
    create: 'Create new recovery codes',
    createTitle: 'Create new recovery codes?',
    ten: 'You get ten new codes. They are shown only once.',
    oldStop: 'Your current codes stop working.',
    confirm: 'Create new codes',
  },
  de: {
    title: 'Wiederherstellungscodes',
    hint: 'Mit jedem Code können Sie sich einmal anmelden, wenn Sie keine andere Methode verwenden können. Drucken Sie sie aus oder bewahren Sie sie sicher auf.',
    none: 'Sie haben noch keine Wiederherstellungscodes.',
    left: (remaining) => (remaining === 1 ? '1 Code ist übrig' : `${remaining} Codes sind übrig`),
    created: (at) => html`, erstellt am ${at}.`,
    few: ' Erstellen Sie neue, bevor sie aufgebraucht sind.',
    create: 'Neue Wiederherstellungscodes erstellen',
    createTitle: 'Neue Wiederherstellungscodes erstellen?',
    ten: 'Sie erhalten zehn neue Codes. Sie werden nur einmal angezeigt.',
    oldStop: 'Ihre bisherigen Codes gelten dann nicht mehr.',
    confirm: 'Neue Codes erstellen',
  },
})

const left = ({ remaining, generatedAt }: AccountRecoveryCodes, language: Language): Html => {
  const text = words[language]
  if (generatedAt === undefined) return html`<p class="empty">${text.none}</p>`
  const few = remaining <= 2 ? text.few : ''
  return html`<p>
    <strong>${text.left(remaining)}</strong>${text.created(moment(generatedAt, language))}${few}
  </p>`
}

export const recoveryCodesSection = (codes: AccountRecoveryCodes, language: Language): Html =>
  section({
    id: 'recovery-codes',
    title: words[language].title,
    hint: words[language].hint,
    body: html`${left(codes, language)}
      <div class="actions section-foot needs-script">
        <button class="button button-small" type="button" data-open="codes">${words[language].create}</button>
      </div>`,
  })

export const recoveryCodesDialog = ({ remaining }: AccountRecoveryCodes, language: Language): Html =>
  dialog({
    language,
    name: 'codes',
    title: words[language].createTitle,
    body: html`<p>${words[language].ten}</p>
      ${remaining > 0 && html`<p>${words[language].oldStop}</p>`}`,
    confirm: words[language].confirm,
  })

/** The dialog in which the script shows new codes: requested ones, and those created with a first authenticator app. */
export const newCodesDialog = (): Html => html`<dialog id="new-codes-dialog"></dialog>`
