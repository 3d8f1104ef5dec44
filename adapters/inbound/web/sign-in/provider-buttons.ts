import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { icons } from '../kit/icons.ts'
import type { OfferedProvider } from './ways.ts'

const words = texts({
  en: { continueWith: (provider: string) => `Continue with ${provider}` },
  de: { continueWith: (provider) => `Weiter mit ${provider}` },
})

/** Returns the address that leaves for a provider; the query names what the user signs in for. */
export const providerStart = (
  identityProviderId: string,
  going: Readonly<Record<'authRequestId' | 'return' | 'loginHint' | 'again', string | undefined>>,
): string => {
  const query = new URLSearchParams(
    Object.entries(going).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const path = `/api/v1/auth/providers/${identityProviderId}/start`
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** Links that leave for identity providers; they work without a script. */
export const providerButtons = (
  providers: readonly OfferedProvider[],
  going: Parameters<typeof providerStart>[1],
  language: Language,
): Html | false =>
  providers.length > 0 &&
  html`${providers.map(
    ({ id, name }) =>
      html`<a class="button button-wide" href="${providerStart(id, going)}" data-provider="${id}"
        >${icons.link}<span>${words[language].continueWith(name)}</span></a
      >`,
  )}`
