/** Rows of a list that appear as the service records them (server-sent events). */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { listKeyOf, withQuery, type ListPage, type Query } from './api.ts'

/** `stopped`: the service ended the stream, or refused it; it does not reconnect. */
export type LiveState = 'off' | 'connecting' | 'live' | 'stopped'

/** More rows would make the page slow. */
const MOST_ROWS = 200

/**
 * Adds new rows at the top of a list that is on screen. While the tab is hidden, the stream is closed: a browser opens
 * only a few connections to one host.
 * @param query the filters of the list, without a page
 */
export const useLive = <Item extends { readonly id: string }>(
  path: string,
  query: Query,
  on: boolean,
): LiveState => {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('off')
  const filters = JSON.stringify(query)
  useEffect(() => {
    if (!on) {
      setState('off')
      return undefined
    }
    const sent = JSON.parse(filters) as Query
    const key = listKeyOf(path, sent)
    let source: EventSource | null = null
    const open = (): void => {
      setState('connecting')
      source = new EventSource(`/api/v1${withQuery(path, sent)}`)
      source.addEventListener('open', () => {
        setState('live')
        // What was recorded between the page and the stream.
        void client.invalidateQueries({ queryKey: key })
      })
      source.addEventListener('message', ({ data }) => {
        const item = JSON.parse(String(data)) as Item
        client.setQueryData<ListPage<Item>>(key, (page) =>
          page === undefined || page.items.some(({ id }) => id === item.id)
            ? page
            : { ...page, items: [item, ...page.items].slice(0, MOST_ROWS) },
        )
      })
      source.addEventListener('error', () => {
        setState(source?.readyState === EventSource.CLOSED ? 'stopped' : 'connecting')
      })
    }
    const close = (): void => {
      source?.close()
      source = null
    }
    const follow = (): void => {
      close()
      if (!document.hidden) open()
    }
    document.addEventListener('visibilitychange', follow)
    follow()
    return () => {
      document.removeEventListener('visibilitychange', follow)
      close()
    }
  }, [client, path, filters, on])
  return state
}
