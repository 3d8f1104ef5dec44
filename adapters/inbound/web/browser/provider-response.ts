import { call } from './lib/api.ts'
import { leaveFor, refused } from './lib/page.ts'

const card = document.querySelector<HTMLElement>('[data-response]')

if (card) {
  const { provider = '', response = '', relayState = '' } = card.dataset
  call<{ readonly redirectTo: string }>(
    'POST',
    `/auth/providers/${encodeURIComponent(provider)}/saml-response`,
    {
      samlResponse: response,
      ...(relayState === '' ? {} : { relayState }),
    },
  ).then(
    ({ redirectTo }) => {
      leaveFor(redirectTo, 'replace')
    },
    (error: unknown) => {
      refused(error, {})
    },
  )
}
