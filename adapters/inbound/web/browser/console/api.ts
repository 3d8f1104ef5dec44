/** Records of the JSON API in the browser: queries that are cached, commands that are sent once. */
import { useMutation, useQuery, useQueryClient, keepPreviousData } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError, send, type ApiErrorCode } from '../lib/api.ts'
import { useMoment } from './moment.tsx'

export { ApiError, type ApiErrorCode } from '../lib/api.ts'

export type Query = Readonly<Record<string, string | undefined>>

/** A page of a list, with the cursor of the next one; null on the last page. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** Returns an address with its query, without the parameters that are not set. */
export const withQuery = (path: string, query: Query): string => {
  const known = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return known.length === 0 ? path : `${path}?${new URLSearchParams(known).toString()}`
}

/** Returns the cursor in a `Link: <…>; rel="next"` header (RFC 8288). */
const nextCursor = (headers: Headers): string | null => {
  const address = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return address === undefined ? null : new URL(address).searchParams.get('cursor')
}

/** @throws ApiError */
export const readPage = async <Item>(
  path: string,
  query: Query,
  signal?: AbortSignal,
): Promise<ListPage<Item>> => {
  const { body, headers } = await send<readonly Item[]>(
    'GET',
    withQuery(path, query),
    signal ? { signal } : {},
  )
  return { items: body, next: nextCursor(headers) }
}

/** The key of a cached page of a list; a record at the same address has another form. */
export const listKeyOf = (path: string, query: Query): readonly ['list', string, Query] => [
  'list',
  path,
  query,
]

/** Errors that another attempt may not have. */
const passing: readonly ApiErrorCode[] = ['ERR_NETWORK', 'ERR_UNAVAILABLE', 'ERR_RATE_LIMITED']
const mayPass = (error: Error): boolean => error instanceof ApiError && passing.includes(error.code)

const queryOptions = {
  retry: (failures: number, error: Error) => failures < 2 && mayPass(error),
  staleTime: 5_000,
}

/**
 * Reads one record, or any response that is not a list.
 * @param past whether the route can return the past (`?at=`)
 * @param every milliseconds until it is read again, for a record that the service changes by itself
 */
export const useRecord = <T>(path: string, past = false, every?: (record: T) => number) => {
  const { at } = useMoment()
  const query: Query = past && at !== null ? { at } : {}
  return useQuery({
    ...queryOptions,
    queryKey: ['record', path, query],
    queryFn: async ({ signal }) => (await send<T>('GET', withQuery(path, query), { signal })).body,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || every === undefined ? false : every(data),
  })
}

/**
 * Reads one page of a list. While the next one loads, the previous one stays.
 * @param past whether the route can list the past (`?at=`)
 * @param enabled false sends no request
 */
export const useList = <Item>(path: string, query: Query, past = false, enabled = true) => {
  const { at } = useMoment()
  const sent: Query = past && at !== null ? { ...query, at } : query
  return useQuery({
    ...queryOptions,
    enabled,
    placeholderData: keepPreviousData,
    queryKey: listKeyOf(path, sent),
    queryFn: ({ signal }) => readPage<Item>(path, sent, signal),
  })
}

export interface Command {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** Of the record that the body was made from: a body with a complete list must not undo a change by someone else. */
  readonly ifVersion?: number
}

/**
 * Sends commands. A POST that is sent again after a failure has the same Idempotency-Key, so it takes effect once.
 * Afterwards everything on screen is read again, and everything else is forgotten: a form must not start from what it
 * was before.
 */
export const useCommand = <T = unknown>() => {
  const client = useQueryClient()
  const last = useRef({ command: '', key: '' })
  return useMutation<T, Error, Command>({
    mutationFn: async ({ method, path, body, ifVersion }) => {
      const sent = body instanceof File ? [body.name, body.size, body.lastModified] : body
      const command = JSON.stringify([method, path, sent])
      if (last.current.command !== command) last.current = { command, key: crypto.randomUUID() }
      const headers: Record<string, string> = {
        ...(method === 'POST' ? { 'idempotency-key': last.current.key } : {}),
        ...(ifVersion === undefined ? {} : { 'if-match': `"${String(ifVersion)}"` }),
      }
      return (await send<T>(method, path, { body, headers })).body
    },
    onSuccess: async () => {
      last.current = { command: '', key: '' }
      client.removeQueries({ type: 'inactive' })
      await client.invalidateQueries()
    },
    onError: async (error) => {
      // The next attempt starts from the record as it is now.
      if (error instanceof ApiError && error.code === 'ERR_STALE') await client.invalidateQueries()
    },
  })
}
