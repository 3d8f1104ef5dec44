import { copyText } from './copy.ts'
import { button, element } from './dom.ts'
import { renderQr } from './qr.ts'
import { texts } from './texts.ts'

const words = texts({
  en: {
    copy: 'Copy the key',
    copied: 'The key was copied.',
    cannotScan: 'Cannot scan the code? Enter this key in the app instead:',
    open: 'Open the app on this device',
  },
  de: {
    copy: 'Schlüssel kopieren',
    copied: 'Der Schlüssel wurde kopiert.',
    cannotScan: 'Sie können den Code nicht scannen? Geben Sie stattdessen diesen Schlüssel in der App ein:',
    open: 'App auf diesem Gerät öffnen',
  },
})

/** The response to the first step of setting up an authenticator app. */
export interface AuthenticatorKey {
  /** Base32 */
  readonly secret: string
  readonly otpauthUri: string
}

/**
 * Replaces the content of `container` with a new key: to scan, to type or copy, and to open in an app on this device.
 * Reports into the regions of `scope`.
 */
export const showAuthenticatorKey = (
  container: HTMLElement,
  scope: ParentNode,
  { secret, otpauthUri }: AuthenticatorKey,
): void => {
  const code = element('div', { class: 'qr-frame' })
  renderQr(code, otpauthUri)
  const groups = secret.match(/.{1,4}/g) ?? []
  const copy = button(words().copy, 'button-small')
  copy.addEventListener('click', () => void copyText(scope, secret, words().copied))
  container.replaceChildren(
    code,
    element('p', { class: 'hint' }, words().cannotScan),
    // Shown in groups for readability. A manual copy contains spaces, which apps ignore.
    element('p', {}, element('code', { class: 'secret', 'data-secret': '' }, groups.join(' '))),
    element(
      'div',
      { class: 'actions actions-centre' },
      copy,
      element('a', { class: 'button button-small', href: otpauthUri }, words().open),
    ),
  )
}
