import { otherWays } from './lib/other-ways.ts'
import { leaveFor, passkeysWork, refused, restoreOnReturn, whileBusy } from './lib/page.ts'
import { signIn, pickInField, type SignedIn } from './lib/passkey.ts'

const card = document.querySelector<HTMLElement>('main .card')
const button = card?.querySelector<HTMLButtonElement>('[data-action="passkey"]')
const form = card?.querySelector<HTMLFormElement>('[data-form="other-ways"]')

const start = (scope: HTMLElement): void => {
  const { authRequest, next } = scope.dataset
  // The fragment of the page to continue to, if the address has it outside the parameter. Read before any link
  // changes it.
  const part = next?.includes('#') ? '' : location.hash
  const goOn = ({ redirectTo }: SignedIn): 'leaving' =>
    leaveFor(next === undefined ? redirectTo : `${next}${part}`)

  restoreOnReturn()
  if (form) otherWays(form, { authRequest, next, goOn })
  if (!button) return
  if (!passkeysWork(scope)) {
    button.disabled = true
    return
  }
  const busyWith = (work: () => Promise<SignedIn>): void => {
    void whileBusy(button, scope, () =>
      work().then(goOn, (error: unknown) => refused(error, { authRequest, return: next })),
    )
  }
  button.addEventListener('click', () => busyWith(() => signIn(authRequest)))
  if (form) void pickInField(authRequest).then((picked) => picked && busyWith(picked))
}

if (card) start(card)
