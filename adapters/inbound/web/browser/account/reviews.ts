/** Decides items of access reviews, by mouse or by keyboard. */
import { call } from '../lib/api.ts'
import { report, whileBusy } from '../lib/page.ts'
import { orSignIn } from './page.ts'

type Decision = 'approved' | 'revoked'

const AT_ONCE = 200

const rowsOf = (review: HTMLElement): readonly HTMLElement[] => [
  ...review.querySelectorAll<HTMLElement>('tr[data-item]:not([data-done])'),
]
const boxOf = (row: HTMLElement): HTMLInputElement | null => row.querySelector('input[type="checkbox"]')

const decide = async (
  scope: HTMLElement,
  review: HTMLElement,
  rows: readonly HTMLElement[],
  decision: Decision,
): Promise<'staying'> => {
  const reason = review.querySelector<HTMLInputElement>('[name="reason"]')?.value.trim() ?? ''
  const path = `/access-reviews/${encodeURIComponent(review.dataset['review'] ?? '')}/items/decide`
  const next = rowsOf(review).find((row) => !rows.includes(row) && follows(rows.at(-1), row))
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE)
    const itemIds = some.map((row) => row.dataset['item'] ?? '')
    await call('POST', path, { itemIds, decision, ...(reason === '' ? {} : { justification: reason }) })
    const outcome = (decision === 'approved' ? review.dataset['kept'] : review.dataset['removed']) ?? ''
    for (const row of some) {
      row.dataset['done'] = decision
      const box = boxOf(row)
      if (box !== null) {
        box.checked = false
        box.disabled = true
      }
      const cell = row.querySelector('[data-outcome]')
      if (cell !== null) cell.textContent = outcome
    }
    report(
      scope,
      'status',
      some.length === 1
        ? `${some[0]?.dataset['name'] ?? ''}: ${outcome}`
        : `${String(some.length)}: ${outcome}`,
    )
  }
  ;(next ?? rowsOf(review)[0])?.focus()
  return 'staying'
}

const follows = (row: HTMLElement | undefined, other: HTMLElement): boolean =>
  row !== undefined && (row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0

const selectedIn = (review: HTMLElement): readonly HTMLElement[] =>
  rowsOf(review).filter((row) => boxOf(row)?.checked === true)

/** The decision of a key: of the row that has the focus, or with Shift of all that are selected. */
const keys: ReadonlyMap<string, Decision> = new Map([
  ['a', 'approved'],
  ['r', 'revoked'],
])

export const reviewItems = (scope: HTMLElement): void => {
  for (const review of scope.querySelectorAll<HTMLElement>('[data-review]')) {
    const send = (rows: readonly HTMLElement[], decision: Decision, button: HTMLElement): void => {
      if (rows.length > 0)
        void whileBusy(button, scope, () => orSignIn(decide(scope, review, rows, decision), null))
    }
    const move = (from: HTMLElement | null, step: 1 | -1): void => {
      const rows = rowsOf(review)
      const at = from === null ? -1 : rows.indexOf(from)
      const next = at === -1 ? rows[0] : rows[at + step]
      next?.focus()
      next?.scrollIntoView({ block: 'nearest' })
    }
    review.addEventListener('click', ({ target }) => {
      const button = target instanceof HTMLElement ? target.closest('button') : null
      if (button === null) return
      const row = button.closest<HTMLElement>('tr[data-item]')
      const { decide: one, decideSelected: selected } = button.dataset
      if (one !== undefined && row !== null) send([row], one as Decision, button)
      if (selected !== undefined) send(selectedIn(review), selected as Decision, button)
      if ('selectRecommended' in button.dataset)
        for (const each of rowsOf(review)) {
          const box = boxOf(each)
          if (box !== null) box.checked = each.dataset['recommended'] === 'revoke'
        }
    })
    review.addEventListener('keydown', (event) => {
      const { target, key, shiftKey } = event
      if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return
      if (target.matches('input:not([type="checkbox"])')) return
      const row = target.closest<HTMLElement>('tr[data-item]')
      const name = key.toLowerCase()
      const decision = keys.get(name)
      if (name === 'j' || key === 'ArrowDown') move(row, 1)
      else if (name === 'k' || key === 'ArrowUp') move(row, -1)
      else if (name === 'x' && row !== null) {
        const box = boxOf(row)
        if (box !== null) box.checked = !box.checked
      } else if (decision !== undefined && (shiftKey || row !== null))
        send(shiftKey ? selectedIn(review) : row === null ? [] : [row], decision, row ?? target)
      else return
      event.preventDefault()
    })
  }
}
