/** Dialogs to search for records: one does what the caller wants with them, one runs a command for each that is picked. */
import { useState, type ReactNode } from 'react'
import { useCommand, useList, type Command, type Query } from '../api.ts'
import { useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import styles from './kit.module.css'
import { Problem } from './problem.tsx'
import { Loaded } from './record.tsx'
import { useSettled } from './settled.ts'
import { useToast } from './toast.tsx'

const SHOWN = '10'

interface Named {
  readonly id: string
  readonly name: string
}

interface SearchProps<Item> {
  readonly title: string
  /** What picking a record will do */
  readonly intro: ReactNode
  /** Of the list that is searched with `?q=` */
  readonly path: string
  readonly query?: Query
  /** What tells records of the same name apart */
  readonly detail?: (item: Item) => string
  readonly empty: string
  readonly onClose: () => void
}

export const SearchDialog = <Item extends Named>({
  title,
  intro,
  path,
  query = {},
  detail,
  empty,
  action,
  children,
  onClose,
}: SearchProps<Item> & {
  /** What is offered beside each record */
  readonly action: (item: Item) => ReactNode
  readonly children?: ReactNode
}) => {
  const text = useTexts(commonTexts)
  const [typed, setTyped] = useState('')
  const search = useSettled(typed)
  const list = useList<Item>(path, { ...query, q: search, limit: SHOWN, sort: 'name' })
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{intro}</p>
      <TextField
        name="search"
        type="search"
        label={text.search}
        hint={text.searchStart}
        value={typed}
        onChange={setTyped}
        autoFocus
      />
      <Loaded query={list}>
        {({ items, next }) =>
          items.length === 0 ? (
            <p className="hint">{empty}</p>
          ) : (
            <>
              <ul className={styles['picks']}>
                {items.map((item) => (
                  <li key={item.id}>
                    <span>
                      {item.name}
                      {detail !== undefined && <span className="hint"> {detail(item)}</span>}
                    </span>
                    {action(item)}
                  </li>
                ))}
              </ul>
              {next !== null && <p className="hint">{text.searchMore}</p>}
            </>
          )
        }
      </Loaded>
      {children}
      <div className="actions">
        <Button look="primary" onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </Dialog>
  )
}

/** It stays open for the next record. */
export const Picker = <Item extends Named>({
  pick,
  command,
  done,
  ...search
}: SearchProps<Item> & {
  /** The label of the button beside each record */
  readonly pick: string
  readonly command: (item: Item) => Command
  /** Shown as a toast */
  readonly done: (item: Item) => string
}) => {
  const toast = useToast()
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const { mutate, isPending, variables, error } = useCommand()
  return (
    <SearchDialog<Item>
      {...search}
      action={(item) => {
        const sent = command(item)
        return picked.has(item.id) ? (
          <span className="hint">{done(item)}</span>
        ) : (
          <Button
            small
            busy={isPending && variables.path === sent.path}
            onClick={() => {
              if (isPending) return
              mutate(sent, {
                onSuccess: () => {
                  setPicked((before) => new Set([...before, item.id]))
                  toast(done(item))
                },
              })
            }}
          >
            {pick}
            <span className="visually-hidden"> {item.name}</span>
          </Button>
        )
      }}
    >
      {error !== null && <Problem error={error} />}
    </SearchDialog>
  )
}
