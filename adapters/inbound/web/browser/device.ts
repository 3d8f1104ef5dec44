import { call } from './lib/api.ts'
import { leaveFor, localTimes, refused, restoreOnReturn, whileBusy } from './lib/page.ts'

localTimes()

const card = document.querySelector<HTMLElement>('[data-device-code]')
const code = card?.dataset['deviceCode']

if (card && code) {
  restoreOnReturn()
  const path = `/device/${encodeURIComponent(code)}`
  const leads = [
    ['approve', '/device/approved'],
    ['deny', '/device/denied'],
  ] as const
  for (const [action, next] of leads) {
    const button = card.querySelector<HTMLButtonElement>(`[data-action="${action}"]`)
    button?.addEventListener('click', () => {
      void whileBusy(button, card, async () => {
        try {
          await call('POST', `${path}/${action}`)
        } catch (error) {
          return refused(error, { device: code })
        }
        return leaveFor(next)
      })
    })
  }
}
