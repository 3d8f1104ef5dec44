import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import {
  address,
  emblem,
  moment,
  needsScript,
  notice,
  htmlPage,
  reports,
  type PageModel,
} from '../kit/layout.ts'

export interface DeviceAuthorizationModel extends PageModel {
  readonly signedInAs: { readonly name: string; readonly email: string }
}

export interface DeviceCodeModel extends DeviceAuthorizationModel {
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

export interface DeviceConfirmModel extends DeviceAuthorizationModel {
  readonly userCode: string
  readonly applicationName: string
  readonly scopes: readonly string[]
  /** Null for a sign-in without the user's roles; otherwise whether the user has any. */
  readonly administers: boolean | null
  readonly ip: string
  /** RFC 3339 */
  readonly requestedAt: string
}

const words = texts({
  en: {
    scopes: {
      openid: 'know your user ID',
      profile: 'see your name',
      email: 'see your email address',
      groups: 'see the names of your groups',
      offline_access: 'stay signed in until you sign out there',
      admin: 'administer the service with your roles, for 15 minutes',
    },
    actForYou: 'act for you:',
    signedInAs: (name: string, email: Html) =>
      html`You are signed in as <strong>${name}</strong> (${email}).`,
    signIn: 'Sign in on another device',
    enterCode: 'Enter the code that your terminal shows.',
    code: 'Code',
    eightLetters: 'Eight letters, such as BCDF-GHJK.',
    goOn: 'Continue',
    approveTitle: 'Approve this sign-in?',
    wants: (application: string) =>
      html`<strong>${application}</strong> wants to sign in as you on another device.`,
    onlyIf: 'Approve only if you started this sign-in yourself.',
    warning:
      'Your terminal must show exactly this code. If someone sent you the code or a link to this page, deny the request: approving it would give them access to your account.',
    administers:
      'For 15 minutes, the terminal will be able to do everything that your administrator roles allow.',
    noRole:
      'This sign-in is for administrators. You have no administrator role, so you cannot approve it. Deny it, or ask an administrator for a role.',
    itWill: 'It will',
    requestedFrom: 'Requested from',
    requestedAt: 'Requested at',
    approve: 'Approve',
    deny: 'Deny',
    approved: 'Sign-in approved',
    approvedText:
      'You are now signed in on the other device. Go back to your terminal; you can close this page.',
    denied: 'Sign-in denied',
    deniedText:
      'The other device was not signed in. If you did not start this, tell your administrator that someone may have tried to get into your account.',
  },
  de: {
    scopes: {
      openid: 'Ihre Benutzer-ID erfahren',
      profile: 'Ihren Namen sehen',
      email: 'Ihre E-Mail-Adresse sehen',
      groups: 'die Namen Ihrer Gruppen sehen',
      offline_access: 'angemeldet bleiben, bis Sie sich dort abmelden',
      admin: 'den Dienst mit Ihren Rollen verwalten, 15 Minuten lang',
    },
    actForYou: 'für Sie handeln:',
    signedInAs: (name, email) => html`Sie sind als <strong>${name}</strong> (${email}) angemeldet.`,
    signIn: 'Auf einem anderen Gerät anmelden',
    enterCode: 'Geben Sie den Code ein, den Ihr Terminal zeigt.',
    code: 'Code',
    eightLetters: 'Acht Buchstaben, zum Beispiel BCDF-GHJK.',
    goOn: 'Weiter',
    approveTitle: 'Diese Anmeldung genehmigen?',
    wants: (application) =>
      html`<strong>${application}</strong> möchte sich auf einem anderen Gerät in Ihrem Namen anmelden.`,
    onlyIf: 'Genehmigen Sie nur, wenn Sie diese Anmeldung selbst begonnen haben.',
    warning:
      'Ihr Terminal muss genau diesen Code zeigen. Wenn Ihnen jemand den Code oder einen Link zu dieser Seite geschickt hat, lehnen Sie ab: Sonst erhält diese Person Zugriff auf Ihr Konto.',
    administers: 'Das Terminal kann 15 Minuten lang alles tun, was Ihre Administratorrollen erlauben.',
    noRole:
      'Diese Anmeldung ist für Administratoren. Sie haben keine Administratorrolle und können sie deshalb nicht genehmigen. Lehnen Sie ab, oder bitten Sie einen Administrator um eine Rolle.',
    itWill: 'Das Gerät wird',
    requestedFrom: 'Angefragt von',
    requestedAt: 'Angefragt am',
    approve: 'Genehmigen',
    deny: 'Ablehnen',
    approved: 'Anmeldung genehmigt',
    approvedText:
      'Sie sind jetzt auf dem anderen Gerät angemeldet. Kehren Sie zu Ihrem Terminal zurück; diese Seite können Sie schließen.',
    denied: 'Anmeldung abgelehnt',
    deniedText:
      'Das andere Gerät wurde nicht angemeldet. Wenn Sie das nicht begonnen haben, sagen Sie Ihrem Administrator, dass vielleicht jemand in Ihr Konto gelangen wollte.',
  },
})

const scopeItem = (scope: string, language: Language): Html => {
  const { scopes, actForYou } = words[language]
  return Object.hasOwn(scopes, scope)
    ? html`<li>${scopes[scope as keyof typeof scopes]}</li>`
    : html`<li>${actForYou} <strong>${scope}</strong></li>`
}

const who = ({ signedInAs, language }: DeviceAuthorizationModel): Html =>
  html`<p class="hint lead">
    <span>${words[language].signedInAs(signedInAs.name, address(signedInAs.email))}</span>
  </p>`

/** Asks the user for the code on the device. */
export const deviceCodePage = (model: DeviceCodeModel): string =>
  htmlPage(model, {
    title: words[model.language].signIn,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem('device')}
        <h1>${words[model.language].signIn}</h1>
        <p>${words[model.language].enterCode}</p>
      </div>
      ${model.error && notice('problem', html`<span data-code="${model.error.code}">${model.error.message}</span>`)}
      <form class="stack" method="get" action="/device">
        <div class="field">
          <label for="code">${words[model.language].code}</label>
          <input
            id="code"
            name="code"
            type="text"
            required
            maxlength="20"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            aria-describedby="code-hint"
          />
          <p class="hint" id="code-hint">${words[model.language].eightLetters}</p>
        </div>
        <button class="button button-primary button-wide" type="submit">${words[model.language].goOn}</button>
      </form>
      ${who(model)}
    </section>`,
  })

/**
 * Shows the pending request of a code. Its script reads `data-device-code` and posts to `/api/v1/device/{code}`:
 * opening an address approves nothing.
 */
export const deviceConfirmPage = (model: DeviceConfirmModel): string => {
  const text = words[model.language]
  return htmlPage(model, {
    title: text.approveTitle,
    width: 'focus',
    scripts: ['device.js'],
    main: html`<section class="card card-focus" data-device-code="${model.userCode}">
      <div class="lead">
        ${emblem('device')}
        <h1>${text.approveTitle}</h1>
        <p>${text.wants(model.applicationName)}</p>
      </div>
      ${notice('problem', html`<strong>${text.onlyIf}</strong> ${text.warning}`)}
      ${model.administers === true && notice('problem', html`<strong>${text.administers}</strong>`)}
      ${model.administers === false && notice('problem', html`<span data-code="ERR_FORBIDDEN">${text.noRole}</span>`)}
      <dl class="facts">
        <div>
          <dt>${text.code}</dt>
          <dd class="user-code">${model.userCode}</dd>
        </div>
        <div>
          <dt>${text.itWill}</dt>
          <dd>
            <ul>
              ${model.scopes.map((scope) => scopeItem(scope, model.language))}
            </ul>
          </dd>
        </div>
        <div>
          <dt>${text.requestedFrom}</dt>
          <dd>${model.ip}</dd>
        </div>
        <div>
          <dt>${text.requestedAt}</dt>
          <dd>${moment(model.requestedAt, model.language)}</dd>
        </div>
      </dl>
      ${needsScript(model.language)}
      <div class="stack needs-script">
        ${reports()}
        ${
          model.administers !== false &&
          html`<button class="button button-primary button-wide" type="button" data-action="approve">
            ${text.approve}
          </button>`
        }
        <button class="button button-wide" type="button" data-action="deny">${text.deny}</button>
      </div>
      ${who(model)}
    </section>`,
  })
}

const decided = (model: PageModel, icon: 'done' | 'lock', title: string, message: string): string =>
  htmlPage(model, {
    title,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem(icon, icon === 'done' ? 'done' : 'plain')}
        <h1>${title}</h1>
        <p>${message}</p>
      </div>
      <a class="button button-wide" href="/account">${commonTexts[model.language].openAccount}</a>
    </section>`,
  })

export const deviceApprovedPage = (model: PageModel): string =>
  decided(model, 'done', words[model.language].approved, words[model.language].approvedText)

export const deviceDeniedPage = (model: PageModel): string =>
  decided(model, 'lock', words[model.language].denied, words[model.language].deniedText)
