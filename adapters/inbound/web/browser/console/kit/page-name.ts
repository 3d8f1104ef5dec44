import { createContext } from 'react'

/** The name of the page that is shown, for one that cannot show its record. */
export const PageName = createContext('')
