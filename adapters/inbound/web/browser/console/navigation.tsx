import { useId, useLayoutEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { consolePages, type ConsolePageName } from '../../console/page-list.ts'
import { pageGroups, type ConsolePage } from '../../console/page.ts'
import styles from './app.module.css'
import { CommandPalette } from './command-palette.tsx'
import { appTexts } from './app-texts.ts'
import { Button } from './kit/button.tsx'
import { PageLink } from './kit/link.tsx'
import { MomentControl } from './moment-banner.tsx'
import { pageTitles } from './page-titles.ts'
import { useSession } from './session.tsx'
import { useTexts } from './text.tsx'

const pages = Object.entries(consolePages) as [ConsolePageName, ConsolePage][]

/** Whether an address shows this page, or a page about one of its records. */
const isWithin = (location: string, path: string): boolean =>
  path === consolePages.overview.path
    ? location === path
    : location === path || location.startsWith(`${path}/`)

export const Navigation = ({ organization }: { readonly organization: string }) => {
  const text = useTexts(appTexts)
  const titles = useTexts(pageTitles)
  const { name } = useSession()
  const [location] = useLocation()
  const [open, setOpen] = useState(false)
  const id = useId()
  const nav = useRef<HTMLElement>(null)
  // The list is longer than many screens, and scrolls by itself.
  useLayoutEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [location])
  return (
    <header className={styles['side']}>
      <div className={styles['brand']}>
        <PageLink to={consolePages.overview.path}>{organization}</PageLink>
        <button
          type="button"
          className={`button button-small ${styles['menuButton'] ?? ''}`}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => {
            setOpen(!open)
          }}
        >
          {text.menu}
        </button>
      </div>
      <div id={id} className={open ? styles['menuOpen'] : styles['menu']}>
        <nav ref={nav} aria-label={text.navigation}>
          {pageGroups.map((group) => {
            const shown = pages.filter(([, page]) => page.group === group)
            if (shown.length === 0) return null
            return (
              <div key={group} className={styles['group']}>
                <p className={styles['groupName']} id={`${id}-${group}`}>
                  {text[group]}
                </p>
                <ul aria-labelledby={`${id}-${group}`}>
                  {shown.map(([pageName, { path }]) => (
                    <li key={pageName}>
                      <PageLink to={path} current={isWithin(location, path)}>
                        {titles[pageName]}
                      </PageLink>
                    </li>
                  ))}
                </ul>
              </div>
            )
          })}
        </nav>
        <CommandPalette />
        <MomentControl />
        <div className={styles['me']}>
          <a href="/account">{name}</a>
          <form method="post" action="/sign-out">
            <Button small type="submit">
              {text.signOut}
            </Button>
          </form>
        </div>
      </div>
    </header>
  )
}
