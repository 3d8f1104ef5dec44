import { html, type Html } from '../kit/html.ts'
import { icons } from '../kit/icons.ts'
import { address, emblem, moment, needsScript, page, reports, type PageModel } from '../kit/layout.ts'
import { errorPage } from './error-page.ts'
import { errorText } from './error-texts.ts'

export interface EnrollModel extends PageModel {
  readonly token: string
  readonly kind: 'invite' | 'reset'
  readonly name: string
  readonly email: string
  /** RFC 3339. */
  readonly expiresAt: string
  readonly allowedMethods: readonly string[]
}

/** Name field of a new passkey; the script proposes the device's kind in place of the plain default. */
export const passkeyNameField = (id: string): Html =>
  html`<div class="field">
    <label for="${id}">Name of this passkey</label>
    <input
      id="${id}"
      name="name"
      type="text"
      value="My passkey"
      maxlength="100"
      autocomplete="off"
      aria-describedby="${id}-hint"
      data-device-name
    />
    <p class="hint" id="${id}-hint">Helps you tell your passkeys apart later.</p>
  </div>`

const createForm = (): Html =>
  html`<form class="stack needs-script" data-form="enroll">
    ${passkeyNameField('passkey-name')} ${reports()}
    <button class="button button-primary button-wide" type="submit">
      ${icons.passkey}<span>Create a passkey</span>
    </button>
  </form>`

/** The page behind an invitation or reset link. Its script reads `data-token`. */
export const enrollPage = (model: EnrollModel): string => {
  const { organization, kind, name, email, expiresAt, token } = model
  const welcome = kind === 'invite' ? `Welcome, ${name}` : `Hello again, ${name}`
  const why =
    kind === 'invite'
      ? `Create a passkey to open your ${organization.name} account. It replaces a password.`
      : 'Your earlier ways to sign in were removed. Create a new passkey to get back in.'
  return page(model, {
    title: kind === 'invite' ? 'Set up your account' : 'Create a new passkey',
    width: 'focus',
    scripts: ['enroll.js'],
    main: html`<section class="card card-focus" data-token="${token}">
      <div class="lead">
        ${emblem('passkey')}
        <h1>${welcome}</h1>
        <p>${why}</p>
        <p><strong>${address(email)}</strong></p>
      </div>
      ${needsScript()}
      ${
        model.allowedMethods.includes('passkey')
          ? createForm()
          : html`<p>Your organization allows no passkeys here. Ask your administrator how to sign in.</p>`
      }
      <p class="hint lead">
        <span
          >Your device keeps the passkey and asks for your fingerprint, face or PIN. There is no password to
          remember.</span
        >
        <span>This link works once, until ${moment(expiresAt)}.</span>
      </p>
    </section>`,
  })
}

/** Shown for a link that is unknown, used, replaced or expired. Answer it with status 404. */
export const enrollExpiredPage = (model: PageModel): string =>
  errorPage({
    ...model,
    ...errorText('ERR_LINK_EXPIRED'),
    code: 'ERR_LINK_EXPIRED',
    actions: [{ label: 'Go to sign-in', href: '/sign-in' }],
  })
