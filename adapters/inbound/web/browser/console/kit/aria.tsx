/** What every control of React Aria needs here. */
import type { ReactNode } from 'react'
import { I18nProvider } from 'react-aria/I18nProvider'
import { useReader } from '../text.tsx'

// React Aria adds a style element with this id unless there is one, and the policy blocks inline styles. The rule of that
// element is in kit.module.css.
const STYLE_ID = 'react-aria-pressable-style'
if (document.getElementById(STYLE_ID) === null) {
  const mark = document.createElement('template')
  mark.id = STYLE_ID
  document.head.append(mark)
}

/** Announcements in the reader's language. The bundle has those of English and German only. */
export const Aria = ({ children }: { readonly children: ReactNode }) => (
  <I18nProvider locale={useReader().language === 'de' ? 'de-DE' : 'en-US'}>{children}</I18nProvider>
)
