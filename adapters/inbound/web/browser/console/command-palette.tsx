/** Ctrl+K (⌘K): goes to a page, or to a user, by typing. The pattern is a combobox (WAI-ARIA, list autocomplete). */
import { useEffect, useId, useState, type KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import { consolePages, type ConsolePageName } from '../../console/page-list.ts'
import type { ConsolePage } from '../../console/page.ts'
import { useList } from './api.ts'
import { appTexts } from './app-texts.ts'
import styles from './command-palette.module.css'
import { Button } from './kit/button.tsx'
import { Dialog } from './kit/dialog.tsx'
import { usePathAt } from './moment.tsx'
import { pageTitles } from './page-titles.ts'
import type { ListedUserRecord } from './records.ts'
import { useTexts } from './text.tsx'

const MOST_USERS = '5'
/** Letters from which a search for users is worth a request. */
const FIRST_SEARCH = 2

const pages = (Object.entries(consolePages) as [ConsolePageName, ConsolePage][]).filter(
  ([, { group }]) => group !== undefined,
)

interface Target {
  readonly path: string
  readonly label: string
  readonly detail: string
}

export const CommandPalette = () => {
  const text = useTexts(appTexts)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen((before) => !before)
    }
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('keydown', onKey)
    }
  }, [])
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        {text.goTo} <kbd>Ctrl K</kbd>
      </Button>
      {open && <PaletteDialog onClose={() => setOpen(false)} />}
    </>
  )
}

const PaletteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(appTexts)
  const titles = useTexts(pageTitles)
  const pathAt = usePathAt()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const id = useId()
  const searched = typed.trim().toLowerCase()
  const users = useList<ListedUserRecord>(
    '/users',
    { q: typed.trim(), limit: MOST_USERS },
    false,
    searched.length >= FIRST_SEARCH,
  )
  const targets: readonly Target[] = [
    ...pages
      .filter(([name]) => titles[name].toLowerCase().includes(searched))
      .map(([name, { path }]) => ({ path, label: titles[name], detail: text.page })),
    ...(searched.length < FIRST_SEARCH ? [] : (users.data?.items ?? [])).map((user) => ({
      path: `/console/users/${user.id}`,
      label: user.name,
      detail: user.email,
    })),
  ]
  const chosen = Math.min(active, targets.length - 1)
  const go = (target: Target | undefined): void => {
    if (target === undefined) return
    onClose()
    navigate(pathAt(target.path))
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) go(targets[chosen])
    else if (targets.length > 0) setActive((chosen + step + targets.length) % targets.length)
  }
  return (
    <Dialog title={text.goTo} onClose={onClose}>
      <input
        className={styles['input']}
        role="combobox"
        aria-label={text.goToHint}
        aria-expanded={targets.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={targets.length === 0 ? undefined : `${id}-${String(chosen)}`}
        placeholder={text.goToHint}
        value={typed}
        autoFocus
        autoComplete="off"
        onKeyDown={onKey}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={text.goTo} className={styles['targets']}>
        {targets.map((target, index) => (
          <li
            key={target.path}
            id={`${id}-${String(index)}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(target)}
          >
            <span>{target.label}</span> <span className="hint">{target.detail}</span>
          </li>
        ))}
      </ul>
      {targets.length === 0 && <p className="hint">{text.nothingFound}</p>}
    </Dialog>
  )
}
