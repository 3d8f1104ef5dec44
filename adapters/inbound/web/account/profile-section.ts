import { html, type Html } from '../../../kernel/html.ts'
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

/** The languages to choose from; a different current value is kept. */
const languages = [
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en-GB',
  'en-US',
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

const verified = (is: boolean): Html =>
  is
    ? html`<span class="badge badge-done">${icons.done}Verified</span>`
    : html`<span class="badge badge-problem">${icons.alert}Not verified</span>`

export const profileSection = (profile: AccountProfile): Html =>
  section({
    id: 'profile',
    title: 'Profile',
    action: html`<button class="button button-small needs-script" type="button" data-open="profile">
      Edit<span class="visually-hidden"> your profile</span>
    </button>`,
    body: html`<dl class="facts">
      ${pair('Name', profile.name)}
      ${pair(
        'Email',
        html`<span>${address(profile.email)}</span> ${verified(profile.emailVerified)}
          ${!profile.emailVerified && html`<p class="hint">We send sign-in links only to a verified address.</p>`}`,
      )}
      ${
        !profile.emailVerified &&
        profile.mailed &&
        pair(
          'Confirm email',
          html`<button class="button button-small needs-script" type="button" data-action="verify-email">
            Send confirmation email
          </button>`,
        )
      }
      ${profile.title && pair('Title', profile.title)}
      ${profile.department && pair('Department', profile.department)}
      ${pair('Language', profile.locale ? ownName(profile.locale) : html`<span class="soft">Not set</span>`)}
      ${pair('Time zone', profile.timeZone ?? html`<span class="soft">Same as this browser</span>`)}
    </dl>`,
  })

const option = (value: string, label: string, current: string): Html =>
  html`<option ${{ value, selected: value === current }}>${label}</option>`

const languageField = (locale = ''): Html => {
  const all: readonly string[] = languages
  const offered = locale === '' || all.includes(locale) ? all : [locale, ...all]
  return html`<div class="field">
    <label for="profile-locale">Language</label>
    <select id="profile-locale" name="locale" autocomplete="language">
      ${option('', 'Not set', locale)} ${offered.map((tag) => option(tag, ownName(tag), locale))}
    </select>
    <p class="hint">Applications that support several languages use this one.</p>
  </div>`
}

/** The script adds the zones that the browser knows. */
const timeZoneField = (timeZone = ''): Html =>
  html`<div class="field">
    <label for="profile-time-zone">Time zone</label>
    <select id="profile-time-zone" name="timeZone" data-time-zones>
      ${option('', 'Same as this browser', timeZone)}
      ${timeZone !== '' && option(timeZone, timeZone, timeZone)}
    </select>
  </div>`

export const profileDialog = ({ name, locale, timeZone }: AccountProfile): Html =>
  dialog({
    name: 'profile',
    title: 'Edit your profile',
    body: html`<div class="field">
        <label for="profile-name">Name</label>
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
      ${languageField(locale)} ${timeZoneField(timeZone)}
      <p class="hint">Only an administrator can change the other fields, including your email address.</p>`,
    confirm: 'Save',
  })
