import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { icons } from '../kit/icons.ts'
import { address } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { section } from './frame.ts'

export interface AccountProfile {
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  /** Whether a confirmation email can be sent. */
  readonly mailed: boolean
  readonly department?: string | undefined
  readonly title?: string | undefined
  readonly locale?: string | undefined
  readonly timeZone?: string | undefined
}

const words = texts({
  en: {
    verified: 'Verified',
    notVerified: 'Not verified',
    title: 'Profile',
    edit: 'Edit',
    yourProfile: ' your profile',
    email: 'Email',
    onlyVerified: 'We send sign-in links only to a verified address.',
    confirmEmail: 'Confirm email',
    sendConfirmation: 'Send confirmation email',
    jobTitle: 'Title',
    department: 'Department',
    language: 'Language',
    notSet: 'Not set',
    timeZone: 'Time zone',
    asBrowser: 'Same as this browser',
    languageHint: 'Applications that support several languages use this one.',
    pagesAndEmails: 'Pages and emails',
    otherLanguages: 'Applications only',
    editProfile: 'Edit your profile',
    onlyAdministrator: 'Only an administrator can change the other fields, including your email address.',
  },
  de: {
    verified: 'Bestätigt',
    notVerified: 'Nicht bestätigt',
    title: 'Profil',
    edit: 'Bearbeiten',
    yourProfile: ': Ihr Profil',
    email: 'E-Mail',
    onlyVerified: 'Anmeldelinks werden nur an eine bestätigte Adresse gesendet.',
    confirmEmail: 'E-Mail bestätigen',
    sendConfirmation: 'Bestätigungs-E-Mail senden',
    jobTitle: 'Titel',
    department: 'Abteilung',
    language: 'Sprache',
    notSet: 'Nicht festgelegt',
    timeZone: 'Zeitzone',
    asBrowser: 'Wie in diesem Browser',
    languageHint: 'Anwendungen, die mehrere Sprachen unterstützen, verwenden diese.',
    pagesAndEmails: 'Seiten und E-Mails',
    otherLanguages: 'Nur Anwendungen',
    editProfile: 'Ihr Profil bearbeiten',
    onlyAdministrator: 'Die anderen Felder kann nur ein Administrator ändern, auch Ihre E-Mail-Adresse.',
  },
})

type Words = (typeof words)[Language]

/** The languages of our pages and emails, to choose from. */
const ownLanguages = ['de', 'en-GB', 'en-US'] as const

/** Other languages, which only applications use; a different current value is kept. */
const otherLanguages = [
  'ar',
  'bg',
  'cs',
  'da',
  'el',
  'es',
  'et',
  'fi',
  'fr',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'nb',
  'nl',
  'pl',
  'pt-BR',
  'pt-PT',
  'ro',
  'sk',
  'sl',
  'sr',
  'sv',
  'th',
  'tr',
  'uk',
  'vi',
  'zh-Hans',
  'zh-Hant',
] as const

/** The name of a language in that language. */
const ownName = (tag: string): string => {
  try {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
  } catch {
    // A directory may have set an invalid language tag.
    return tag
  }
}

const pair = (term: string, value: Html | string): Html =>
  html`<div>
    <dt>${term}</dt>
    <dd>${value}</dd>
  </div>`

const verified = (is: boolean, language: Language): Html =>
  is
    ? html`<span class="badge badge-done">${icons.done}${words[language].verified}</span>`
    : html`<span class="badge badge-problem">${icons.alert}${words[language].notVerified}</span>`

export const profileSection = (profile: AccountProfile, language: Language): Html => {
  const text = words[language]
  return section({
    id: 'profile',
    title: text.title,
    action: html`<button class="button button-small needs-script" type="button" data-open="profile">
      ${text.edit}<span class="visually-hidden">${text.yourProfile}</span>
    </button>`,
    body: html`<dl class="facts">
      ${pair(commonTexts[language].name, profile.name)}
      ${pair(
        text.email,
        html`<span>${address(profile.email)}</span> ${verified(profile.emailVerified, language)}
          ${!profile.emailVerified && html`<p class="hint">${text.onlyVerified}</p>`}`,
      )}
      ${
        !profile.emailVerified &&
        profile.mailed &&
        pair(
          text.confirmEmail,
          html`<button class="button button-small needs-script" type="button" data-action="verify-email">
            ${text.sendConfirmation}
          </button>`,
        )
      }
      ${profile.title && pair(text.jobTitle, profile.title)}
      ${profile.department && pair(text.department, profile.department)}
      ${pair(text.language, profile.locale ? ownName(profile.locale) : html`<span class="soft">${text.notSet}</span>`)}
      ${pair(text.timeZone, profile.timeZone ?? html`<span class="soft">${text.asBrowser}</span>`)}
    </dl>`,
  })
}

const option = (value: string, label: string, current: string): Html =>
  html`<option ${{ value, selected: value === current }}>${label}</option>`

const languageField = (text: Words, locale = ''): Html => {
  const all: readonly string[] = [...ownLanguages, ...otherLanguages]
  const kept = locale === '' || all.includes(locale) ? [] : [locale]
  const options = (tags: readonly string[]) => tags.map((tag) => option(tag, ownName(tag), locale))
  return html`<div class="field">
    <label for="profile-locale">${text.language}</label>
    <select id="profile-locale" name="locale" autocomplete="language">
      ${option('', text.notSet, locale)} ${options(kept)}
      <optgroup label="${text.pagesAndEmails}">${options(ownLanguages)}</optgroup>
      <optgroup label="${text.otherLanguages}">${options(otherLanguages)}</optgroup>
    </select>
    <p class="hint">${text.languageHint}</p>
  </div>`
}

/** The script adds the zones that the browser knows. */
const timeZoneField = (text: Words, timeZone = ''): Html =>
  html`<div class="field">
    <label for="profile-time-zone">${text.timeZone}</label>
    <select id="profile-time-zone" name="timeZone" data-time-zones>
      ${option('', text.asBrowser, timeZone)} ${timeZone !== '' && option(timeZone, timeZone, timeZone)}
    </select>
  </div>`

export const profileDialog = ({ name, locale, timeZone }: AccountProfile, language: Language): Html => {
  const text = words[language]
  return dialog({
    language,
    name: 'profile',
    title: text.editProfile,
    body: html`<div class="field">
        <label for="profile-name">${commonTexts[language].name}</label>
        <input
          id="profile-name"
          name="name"
          type="text"
          value="${name}"
          required
          maxlength="200"
          autocomplete="name"
        />
      </div>
      ${languageField(text, locale)} ${timeZoneField(text, timeZone)}
      <p class="hint">${text.onlyAdministrator}</p>`,
    confirm: commonTexts[language].save,
  })
}
