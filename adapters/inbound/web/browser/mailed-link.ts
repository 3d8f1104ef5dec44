import { ApiError, call } from './lib/api.ts'
import { leaveFor, refused, restoreOnReturn, whileBusy } from './lib/page.ts'
import type { SignedIn } from './lib/passkey.ts'

const card = document.querySelector<HTMLElement>('[data-link]')
const button = card?.querySelector<HTMLButtonElement>('[data-action="go-on"]')

/** The action of each link, and where the user continues. */
const works: Record<string, (token: string) => Promise<string>> = {
  'magic-link': async (token) =>
    (await call<SignedIn>('POST', '/auth/magic-link/redeem', { token })).redirectTo,
  'verify-email': async (token) => {
    await call('POST', '/auth/verify-email', { token })
    return '/verify-email/done'
  },
}

if (card && button) {
  restoreOnReturn()
  const { link = '', token = '' } = card.dataset
  button.addEventListener('click', () => {
    void whileBusy(button, card, async () => {
      try {
        return leaveFor((await works[link]?.(token)) ?? '/', 'replace')
      } catch (error) {
        if (error instanceof ApiError && error.code === 'ERR_LINK_EXPIRED')
          return leaveFor(`/${link}/expired`, 'replace')
        return refused(error, {})
      }
    })
  })
}
