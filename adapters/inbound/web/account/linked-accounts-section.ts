import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { icons } from '../kit/icons.ts'
import { address, moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { removes, section } from './frame.ts'

const words = texts({
  en: {
    title: 'Linked accounts',
    hint: 'External accounts that you can sign in with.',
    external: 'External account',
    theExternal: 'the external account',
    linked: (at: Html) => html`Linked ${at}.`,
    link: (provider: string) => `Link an account at ${provider}`,
    remove: 'Remove this linked account?',
    removal: html`<strong data-subject></strong> can no longer be used to sign in here. Nothing changes at the
      other service.`,
  },
  de: {
    title: 'Verknüpfte Konten',
    hint: 'Externe Konten, mit denen Sie sich anmelden können.',
    external: 'Externes Konto',
    theExternal: 'das externe Konto',
    linked: (at) => html`Verknüpft am ${at}.`,
    link: (provider) => `Konto bei ${provider} verknüpfen`,
    remove: 'Dieses verknüpfte Konto entfernen?',
    removal: html`Mit <strong data-subject></strong> können Sie sich hier nicht mehr anmelden. Beim anderen
      Dienst ändert sich nichts.`,
  },
})

export interface AccountLink {
  readonly id: string
  /** The identity provider; omitted if it no longer exists */
  readonly provider?: string | undefined
  /** The address that the identity provider returned */
  readonly email?: string | undefined
  readonly linkedAt: string
}

const row = ({ id, provider, email, linkedAt }: AccountLink, language: Language): Html =>
  html`<li>
    <span class="glyph">${icons.link}</span>
    <div>
      <p class="row-title">${provider ?? words[language].external}${email && html` · ${address(email)}`}</p>
      <p class="row-detail">${words[language].linked(moment(linkedAt, language))}</p>
    </div>
    <div class="actions needs-script">
      ${removes('unlink', { id, name: provider ?? email ?? words[language].theExternal }, language)}
    </div>
  </li>`

/** An identity provider that the user can link an account of. */
export interface LinkableProvider {
  readonly id: string
  readonly name: string
}

/** Hidden if there is nothing to show and nothing to link. */
export const linkedAccountsSection = (
  all: readonly AccountLink[],
  linkable: readonly LinkableProvider[],
  language: Language,
): Html | false =>
  all.length + linkable.length > 0 &&
  section({
    id: 'linked-accounts',
    title: words[language].title,
    hint: words[language].hint,
    body: html`${
      all.length > 0 &&
      html`<ul class="rows">
        ${all.map((link) => row(link, language))}
      </ul>`
    }
    ${
      linkable.length > 0 &&
      html`<div class="actions section-foot needs-script">
        ${linkable.map(
          ({ id, name }) =>
            html`<button class="button" type="button" data-action="link-account" data-id="${id}">
              ${words[language].link(name)}
            </button>`,
        )}
      </div>`
    }`,
  })

export const linkedAccountsDialog = (language: Language): Html =>
  dialog({
    language,
    name: 'unlink',
    title: words[language].remove,
    body: html`<p>${words[language].removal}</p>`,
    confirm: commonTexts[language].remove,
    look: 'problem',
  })
