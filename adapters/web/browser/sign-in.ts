import { leaveFor, passkeysWork, restoreOnReturn, whileBusy } from './lib/page.ts'
import { signIn } from './lib/passkey.ts'

const card = document.querySelector<HTMLElement>('main .card')
const button = card?.querySelector<HTMLButtonElement>('[data-action="passkey"]')

if (card && button) {
  restoreOnReturn()
  if (passkeysWork(card)) {
    button.addEventListener('click', () => {
      void whileBusy(button, card, async () => {
        const { authRequest, next } = card.dataset
        const { redirectTo } = await signIn(authRequest)
        return leaveFor(next ?? redirectTo)
      })
    })
  } else {
    button.disabled = true
  }
}
