import { breakableParts } from '../../../../domain/breaks.ts'
import { html, render, type Html, type Value } from '../../../kernel/html.ts'
import { formatLocale, texts, type Language } from '../../../kernel/language.ts'
import { icons, type IconName } from './icons.ts'

const words = texts({
  en: {
    needsScript: 'Signing in needs JavaScript. Turn it on for this site, then load the page again.',
    skip: 'Skip to the content',
    needsHelp: 'Need help?',
    askAdministrator: 'Ask your administrator.',
  },
  de: {
    needsScript:
      'Für die Anmeldung wird JavaScript benötigt. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
    skip: 'Zum Inhalt springen',
    needsHelp: 'Brauchen Sie Hilfe?',
    askAdministrator: 'Fragen Sie Ihren Administrator.',
  },
})

/**
 * The organization data on every page. `logoUrl` is a path on this origin, because the page's policy allows no others.
 */
export interface Organization {
  readonly name: string
  readonly logoUrl?: string | undefined
  /** Path of the style sheet with the accent colour, if there is one */
  readonly themeUrl?: string | undefined
  /** Where users ask for help */
  readonly supportEmail?: string | undefined
}

export interface ApplicationMark {
  readonly name: string
  readonly logoUrl?: string | undefined
}

/** The part of every page model. `asset` maps an asset's name to its hashed URL (`Assets.url`). */
export interface PageModel {
  readonly language: Language
  readonly organization: Organization
  readonly asset: (name: string) => string
}

export interface Shell {
  readonly title: string
  /** `focus` centres one card; `wide` is for pages with several sections. */
  readonly width: 'focus' | 'wide'
  readonly scripts?: readonly string[]
  /** `no-referrer` for a page whose address is a secret and that has no form to post. */
  readonly referrer?: 'strict-origin' | 'no-referrer'
  readonly banner?: Html | undefined
  readonly main: Html
}

const tones = 6

const toneOf = (name: string): number =>
  [...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % tones

/**
 * Returns a logo, or the first letter of the name on a neutral tone. It is decorative, because the name is beside it.
 */
export const mark = ({ name, logoUrl }: ApplicationMark, look: 'own' | 'other' = 'other'): Html =>
  logoUrl
    ? html`<img class="mark mark-${look}-logo" src="${logoUrl}" alt="" />`
    : html`<span class="mark mark-${look} tone-${toneOf(name)}" aria-hidden="true"
        >${[...name.trim()][0]?.toUpperCase() ?? '·'}</span
      >`

/** Returns a message box. `alert` interrupts a screen reader, `status` waits; neither is announced on page load. */
export const notice = (kind: 'info' | 'problem' | 'done', content: Value): Html =>
  html`<div class="notice notice-${kind}" role="${kind === 'problem' ? 'alert' : 'status'}">
    ${icons[kind === 'problem' ? 'alert' : kind]}
    <div>${content}</div>
  </div>`

/**
 * Returns the regions in which the page's script reports. They exist from the start, so that changes are announced.
 * @param problemId id for fields that refer to the problem
 */
export const reports = (problemId?: string): Html =>
  html`<div class="report" data-report="problem" role="alert" ${{ id: problemId }}></div>
    <div class="report" data-report="status" role="status"></div>`

/** The round icon above the title of a one-card page. */
export const emblem = (icon: IconName, kind: 'plain' | 'problem' | 'done' = 'plain'): Html =>
  html`<div class="emblem emblem-${kind}">${icons[icon]}</div>`

export const needsScript = (language: Language): Html =>
  html`<noscript>
    <div class="notice notice-info">
      ${icons.info}
      <div>${words[language].needsScript}</div>
    </div>
  </noscript>`

/** Returns a time for users: UTC text that the page's script converts to the local time zone. */
export const moment = (iso: string, language: Language): Html => {
  const text = new Intl.DateTimeFormat(formatLocale[language], {
    ...({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const),
  })
  return html`<time datetime="${iso}" data-local>${text.format(new Date(iso))} UTC</time>`
}

/** Returns an email address that narrow screens break before the domain. */
export const address = (email: string): Html => {
  const [, local = email, domain = ''] = /^(.*)(@.*)$/.exec(email) ?? []
  return html`${local}<wbr />${domain}`
}

/** Returns a value without spaces that breaks after its separators. */
export const breakable = (value: string): readonly Html[] =>
  breakableParts(value).map((part, at) => (at === 0 ? html`${part}` : html`<wbr />${part}`))

/** Returns hidden fields of a form, in the given order. */
export const hiddenFields = (fields: Readonly<Record<string, string>>): readonly Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)

/**
 * Returns the whole document, without inline styles or scripts, which the policy in `csp.ts` forbids. The referrer is
 * only the origin, so that it never contains the token of a link. `no-referrer` would make browsers post forms with
 * `Origin: null`.
 */
export const htmlPage = (
  { language, organization, asset }: PageModel,
  { title, width, scripts = [], referrer = 'strict-origin', banner, main }: Shell,
): string =>
  '<!doctype html>\n' +
  render(
    html`<html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${title} · ${organization.name}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="${referrer}" />
        <link rel="icon" type="image/svg+xml" href="${asset('favicon.svg')}" />
        <link rel="stylesheet" href="${asset('app.css')}" />
        ${organization.themeUrl === undefined ? null : html`<link rel="stylesheet" href="${organization.themeUrl}" />`}
        ${scripts.map((name) => html`<script type="module" src="${asset(name)}"></script>`)}
      </head>
      <body class="page page-${width}">
        <a class="skip" href="#main">${words[language].skip}</a>
        <header class="masthead">
          <div class="organization">${mark(organization, 'own')}<span>${organization.name}</span></div>
          ${banner}
        </header>
        <main id="main" tabindex="-1">${main}</main>
        <footer class="footer">
          <p>
            ${words[language].needsHelp}
            ${
              organization.supportEmail === undefined
                ? words[language].askAdministrator
                : html`<a href="mailto:${organization.supportEmail}"
                    >${address(organization.supportEmail)}</a
                  >`
            }
          </p>
        </footer>
      </body>
    </html>`,
  )
