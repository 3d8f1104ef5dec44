import { useState } from 'react'
import type { Query } from '../api.ts'
import { useLive, type LiveState } from '../live.ts'
import { texts, useTexts } from '../text.tsx'
import { Button } from './button.tsx'

const liveTexts = texts({
  en: {
    live: 'Live',
    off: '',
    connecting: 'Connecting …',
    on: 'New entries appear at the top.',
    stopped: 'Live updates have stopped. Turn them off and on again to retry.',
  },
  de: {
    live: 'Live',
    off: '',
    connecting: 'Verbindung wird hergestellt …',
    on: 'Neue Einträge erscheinen oben.',
    stopped:
      'Die Live-Ansicht wurde beendet. Schalten Sie sie aus und wieder ein, um es erneut zu versuchen.',
  },
})

/** Lets new rows of a list appear by themselves. */
export const LiveButton = ({ path, query }: { readonly path: string; readonly query: Query }) => {
  const text = useTexts(liveTexts)
  const [on, setOn] = useState(false)
  const state: LiveState = useLive(path, query, on)
  return (
    <>
      <Button look="quiet" pressed={on} onClick={() => setOn(!on)}>
        {text.live}
      </Button>
      <span role="status" className="hint">
        {state === 'live' ? text.on : text[state]}
      </span>
    </>
  )
}
