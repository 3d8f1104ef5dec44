import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { needsScript, notice, htmlPage, reports, type PageModel } from '../kit/layout.ts'

const words = texts({
  en: {
    yourAccount: 'Your account',
    titles: {
      overview: 'Your account',
      access: 'Access',
      approvals: 'Approvals',
      reviews: 'Reviews',
      security: 'Security',
      activity: 'Activity',
    },
    overview: 'Overview',
  },
  de: {
    yourAccount: 'Ihr Konto',
    titles: {
      overview: 'Ihr Konto',
      access: 'Zugriff',
      approvals: 'Genehmigungen',
      reviews: 'Prüfungen',
      security: 'Sicherheit',
      activity: 'Aktivität',
    },
    overview: 'Übersicht',
  },
})

type Words = (typeof words)[Language]

/** The data about the user that every account page needs. */
export interface AccountFrame extends PageModel {
  readonly person: {
    readonly name: string
    readonly email: string
    /** BCP 47, as chosen by the user */
    readonly locale?: string | undefined
    /** IANA; default: that of the browser */
    readonly timeZone?: string | undefined
  }
}

export interface AccountSection {
  readonly id: string
  readonly title: string
  readonly hint?: Html | string | undefined
  readonly action?: Html | false | undefined
  readonly body: Html
}

/** A card of an account page. Its heading receives the focus after an action in it. */
export const section = ({ id, title, hint, action, body }: AccountSection): Html =>
  html`<section class="card section" aria-labelledby="${id}">
    <div class="section-head">
      <div>
        <h2 id="${id}" tabindex="-1">${title}</h2>
        ${hint && html`<p>${hint}</p>`}
      </div>
      ${action}
    </div>
    ${body}
  </section>`

export const empty = (text: string): Html => html`<p class="empty">${text}</p>`

/** The subject of a button in a row; the script opens the named dialog and fills it in. */
export interface Subject {
  readonly id: string
  readonly name: string
}

const opener = (dialog: string, { id, name }: Subject, label: string, look: string): Html =>
  html`<button
    class="button button-quiet button-small ${look}"
    type="button"
    ${{ 'data-open': dialog, 'data-id': id, 'data-name': name }}
  >
    ${label}<span class="visually-hidden"> ${name}</span>
  </button>`

export const renames = (dialog: string, subject: Subject, language: Language): Html =>
  opener(dialog, subject, commonTexts[language].rename, '')

export const removes = (dialog: string, subject: Subject, language: Language): Html =>
  opener(dialog, subject, commonTexts[language].remove, 'button-danger')

/** A hint about the account, with a link to fix it. */
export const advice = (title: string, content: Html): Html =>
  notice('info', html`<strong>${title}</strong> ${content}`)

/** The pages, in navigation order. */
export const accountPaths = {
  overview: '/account',
  access: '/account/access',
  approvals: '/account/approvals',
  reviews: '/account/reviews',
  security: '/account/security',
  activity: '/account/activity',
} as const

export type AccountPageName = keyof typeof accountPaths

const names = Object.keys(accountPaths) as readonly AccountPageName[]

const navigation = (current: AccountPageName, { titles, overview, yourAccount }: Words): Html =>
  html`<nav class="tabs" aria-label="${yourAccount}">
    <ul>
      ${names.map(
        (name) =>
          html`<li>
            <a href="${accountPaths[name]}" ${{ 'aria-current': name === current && 'page' }}
              >${name === 'overview' ? overview : titles[name]}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

const banner = (language: Language): Html =>
  html`<form method="post" action="/sign-out" data-form="sign-out">
    <button class="button button-small" type="submit">${commonTexts[language].signOut}</button>
  </form>`

interface AccountShell {
  /** Besides the one of every account page */
  readonly script?: string
  readonly name: AccountPageName
  readonly head: Html
  readonly body: Html
  readonly dialogs: Html
}

/** Returns an account page with its sections. Its script uses `/api/v1/me`. */
export const accountShell = (
  frame: AccountFrame,
  { name, script, head, body, dialogs }: AccountShell,
): string =>
  htmlPage(frame, {
    title: words[frame.language].titles[name],
    width: 'wide',
    scripts: ['account.js', ...(script === undefined ? [] : [script])],
    banner: banner(frame.language),
    main: html`<div
        class="account"
        ${{ 'data-locale': frame.person.locale, 'data-time-zone': frame.person.timeZone }}
      >
        ${navigation(name, words[frame.language])} ${head} ${needsScript(frame.language)} ${reports()} ${body}
      </div>
      ${dialogs}`,
  })

/** Returns the heading of a page other than the overview. */
export const pageHead = (name: AccountPageName, text: string, language: Language): Html =>
  html`<div class="page-head">
    <h1>${words[language].titles[name]}</h1>
    <p>${text}</p>
  </div>`
