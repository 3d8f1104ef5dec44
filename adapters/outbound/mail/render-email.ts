/**
 * Renders an email as plain text and as HTML. Its content is plain lines, so that nothing in it can be interpreted as
 * markup. Mail clients support few style sheets: each element has its own style. A style sheet adds a dark theme for
 * clients that support it.
 */
import { accentTokens, type AccentTokens } from '../../../domain/branding/accent.ts'
import { own } from '../../../domain/own.ts'
import { escape, html, render, type Html } from '../../kernel/html.ts'
import type { Language } from '../../kernel/language.ts'
import { emailTexts } from './email-texts.ts'

/** The sender that emails show. */
export interface Sender {
  readonly organization: string
  /** https address of an image; null for none */
  readonly logoUrl: string | null
  readonly supportEmail: string | null
  /** As `isColor` accepts it; null for the colour of the service */
  readonly accentColor?: string | null
  /** The language of the content; default: English */
  readonly language?: Language
}

/** The content of an email. Nothing here is markup. */
export interface Content {
  readonly subject: string
  readonly title: string
  readonly paragraphs: readonly string[]
  /** The main action */
  readonly button?: { readonly label: string; readonly url: string }
  /** Small print after it */
  readonly notes: readonly string[]
}

export interface RenderedEmail {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly links: readonly string[]
  readonly language: Language
}

/** Returns one visible line: no control characters, and none that change the text direction. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
    .trim()

/** What an accent colour is in each theme. */
type Accent = Readonly<Record<'light' | 'dark', Pick<AccentTokens, 'accent' | 'onAccent'>>>

const ownAccent: Accent = {
  light: { accent: '#0f5f66', onAccent: '#ffffff' },
  dark: { accent: '#7cc7cd', onAccent: '#0b1a1c' },
}

/** Styles by class, with the differences of the dark theme. */
const looksOf = ({ light, dark }: Accent) => ({
  ground: ['margin:0;padding:32px 12px;background:#f4f5f2', 'background:#0e1314'],
  frame: ['width:100%', ''],
  sheet: [
    'max-width:520px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #dcdfdb;border-radius:16px;' +
      "font:16px/1.55 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#172023;text-align:left",
    'background:#171d1f;border-color:#2c3537;color:#e8eceb',
  ],
  // Most logos are made for light pages.
  logo: [
    'display:block;margin:0 0 20px;max-height:40px;border:0',
    'background:#f4f5f2;padding:4px;border-radius:8px',
  ],
  sender: ['margin:0 0 20px;font-size:14px;font-weight:600;color:#515c60', 'color:#a4b0b2'],
  title: ['margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:650;color:#172023', 'color:#e8eceb'],
  line: ['margin:0 0 16px', ''],
  action: ['margin:24px 0', ''],
  button: [
    `display:inline-block;padding:12px 22px;border-radius:10px;background:${light.accent};color:${light.onAccent};` +
      'font-weight:600;text-decoration:none',
    `background:${dark.accent};color:${dark.onAccent}`,
  ],
  note: ['margin:0 0 12px;font-size:14px;color:#515c60', 'color:#a4b0b2'],
  address: [`color:${light.accent};word-break:break-all`, `color:${dark.accent}`],
})

type Looks = Readonly<Record<string, readonly string[]>>

const darkRules = (looks: Looks): string =>
  Object.entries(looks)
    .filter(([, [, rules = '']]) => rules !== '')
    .map(([name, [, rules = '']]) => `.${name}{${rules.replaceAll(/(?=;|$)/g, '!important')}}`)
    .join('')

const head = (subject: string, looks: Looks): string =>
  '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">' +
  '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">' +
  `<title>${escape(subject)}</title>` +
  `<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${darkRules(looks)}}</style></head>`

/** Values are escaped, including quotes, so ` class="` only occurs where a template contains it. */
const withLooks = (markup: string, looks: Looks): string =>
  markup.replaceAll(/ class="(\w+)"/g, (whole, name: string) => {
    const [style] = own(looks, name) ?? []
    return style === undefined ? whole : `${whole} style="${style}"`
  })

const body = (
  { organization, logoUrl, language = 'en' }: Sender,
  content: Content,
  notes: readonly string[],
): Html => {
  const { title, paragraphs, button } = content
  return html`<body class="ground">
    <table role="presentation" class="frame" cellpadding="0" cellspacing="0" border="0">
      <tr>
        <td align="center">
          <div class="sheet">
            ${
              logoUrl === null
                ? html`<p class="sender">${organization}</p>`
                : html`<img class="logo" src="${logoUrl}" alt="${organization}" height="40" />`
            }
            <h1 class="title">${title}</h1>
            ${paragraphs.map((line) => html`<p class="line">${line}</p>`)}
            ${
              button === undefined
                ? null
                : html`<p class="action"><a class="button" href="${button.url}">${button.label}</a></p>
                    <p class="note">
                      ${emailTexts[language].ifButtonFails}<br />
                      <a class="address" href="${button.url}">${button.url}</a>
                    </p>`
            }
            ${notes.map((line) => html`<p class="note">${line}</p>`)}
          </div>
        </td>
      </tr>
    </table>
  </body>`
}

export const renderEmail = (written: Content, sender: Sender): RenderedEmail => {
  const content: Content = {
    ...written,
    subject: oneLine(written.subject),
    title: oneLine(written.title),
    paragraphs: written.paragraphs.map(oneLine),
    notes: written.notes.map(oneLine),
  }
  const { language = 'en' } = sender
  const cleanSender = { ...sender, organization: oneLine(sender.organization) }
  const looks = looksOf(typeof sender.accentColor === 'string' ? accentTokens(sender.accentColor) : ownAccent)
  const { subject, title, paragraphs, button } = content
  const notes = [
    ...content.notes,
    ...(sender.supportEmail === null ? [] : [emailTexts[language].questions(oneLine(sender.supportEmail))]),
  ]
  const blocks = [
    title,
    ...paragraphs,
    ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]),
    ...notes,
    `-- \n${cleanSender.organization}`,
  ]
  return {
    subject,
    text: `${blocks.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="${language}">${head(subject, looks)}${withLooks(render(body(cleanSender, content, notes)), looks)}</html>\n`,
    links: button === undefined ? [] : [button.url],
    language,
  }
}
