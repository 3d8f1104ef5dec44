import { html } from '../../../kernel/html.ts'
import { texts } from '../../../kernel/language.ts'
import type { ProviderResponsePageModel } from '../../sign-in/pages.ts'
import { emblem, htmlPage, needsScript, reports, type PageModel } from '../kit/layout.ts'

const words = texts({
  en: {
    title: 'Signing you in',
    wait: 'This takes a moment.',
    again: 'Start again',
  },
  de: {
    title: 'Sie werden angemeldet',
    wait: 'Das dauert einen Moment.',
    again: 'Neu beginnen',
  },
})

/**
 * The page at the assertion consumer service. Its script sends `data-response` and `data-relay-state` to the API, with
 * the cookies that the provider's post lacked, and continues where the API says.
 */
export const providerResponsePage = (model: PageModel & ProviderResponsePageModel): string => {
  const text = words[model.language]
  const { identityProviderId, samlResponse, relayState } = model
  return htmlPage(model, {
    title: text.title,
    width: 'focus',
    scripts: ['provider-response.js'],
    referrer: 'no-referrer',
    main: html`<section
      class="card card-focus"
      data-provider="${identityProviderId}"
      data-response="${samlResponse}"
      data-relay-state="${relayState ?? ''}"
    >
      <div class="lead">
        ${emblem('passkey')}
        <h1>${text.title}</h1>
        <p>${text.wait}</p>
      </div>
      ${needsScript(model.language)}
      <div class="stack needs-script">
        ${reports()}
        <a class="button button-secondary button-wide" href="/sign-in">${text.again}</a>
      </div>
    </section>`,
  })
}
