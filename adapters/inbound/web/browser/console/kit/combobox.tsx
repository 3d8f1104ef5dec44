/** A field that searches while something is typed, and chooses one of what was found. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useButton } from 'react-aria/useButton'
import { useComboBox } from 'react-aria/useComboBox'
import { useListBox, useOption } from 'react-aria/useListBox'
import { Item } from 'react-stately/Item'
import { useComboBoxState, type ComboBoxState } from 'react-stately/useComboBoxState'
import { useTexts } from '../text.tsx'
import { Aria } from './aria.tsx'
import { commonTexts } from './common-texts.ts'
import styles from './kit.module.css'

export interface Named {
  readonly id: string
  readonly name: string
}

interface ComboboxProps {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | null | undefined
  /** Shown while nothing is chosen or typed */
  readonly placeholder?: string
  /** Shown if nothing was found */
  readonly empty: string
  /** What was found for the last search; undefined until it is known */
  readonly found: readonly Named[] | undefined
  /** Whether more was found than is offered */
  readonly hasMore: boolean
  readonly chosen: Named | null
  /** Whether each choice joins a list elsewhere: then nothing stays in the field */
  readonly adds?: boolean
  /** Called with what is typed; empty for what can be chosen besides */
  readonly onSearch: (typed: string) => void
  /** @param id null if the field was emptied */
  readonly onChoose: (id: string | null) => void
}

/** Shows a popover below a field, or above it where there is more room, until the returned function is called. */
const showBeside = (popover: HTMLElement, field: HTMLElement): (() => void) => {
  popover.showPopover()
  const place = (): void => {
    const { top, bottom, left, width } = field.getBoundingClientRect()
    const below = window.innerHeight - bottom
    const isAbove = below < popover.scrollHeight && top > below
    Object.assign(popover.style, {
      left: `${String(left)}px`,
      width: `${String(width)}px`,
      top: isAbove ? 'auto' : `${String(bottom)}px`,
      bottom: isAbove ? `${String(window.innerHeight - top)}px` : 'auto',
    })
  }
  place()
  const sizes = new ResizeObserver(place)
  sizes.observe(popover)
  window.addEventListener('scroll', place, true)
  window.addEventListener('resize', place)
  return () => {
    sizes.disconnect()
    window.removeEventListener('scroll', place, true)
    window.removeEventListener('resize', place)
  }
}

/**
 * Keeps the page around `element` in sight of screen readers until the returned function is called.
 * React Aria hides what is outside an open list, but leaves out what has this attribute. The list is not modal: its reader
 * can still leave the field.
 */
const keepInSight = (element: HTMLElement): (() => void) => {
  const page = element.closest('body > *')
  page?.toggleAttribute('data-react-aria-top-layer', true)
  return () => page?.toggleAttribute('data-react-aria-top-layer', false)
}

export const Combobox = (props: ComboboxProps) => (
  <Aria>
    <Field {...props} />
  </Aria>
)

const Field = ({
  name,
  label,
  hint,
  error,
  placeholder,
  empty,
  found,
  hasMore,
  chosen,
  adds = false,
  onSearch,
  onChoose,
}: ComboboxProps) => {
  const text = useTexts(commonTexts)
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState(chosen?.name ?? '')
  // The record that is chosen need not be among the first ones.
  const isListed =
    chosen === null || typed !== chosen.name || found?.some(({ id }) => id === chosen.id) === true
  const items = isListed ? (found ?? []) : [...(found ?? []), chosen]
  const search = (next: string): void => {
    setTyped(next)
    onSearch(next)
  }
  const shown = useRef(chosen?.id)
  useEffect(() => {
    if (shown.current === chosen?.id) return
    shown.current = chosen?.id
    setTyped(chosen?.name ?? '')
  }, [chosen])
  const options = {
    label,
    items,
    value: chosen?.id ?? null,
    inputValue: typed,
    allowsEmptyCollection: true,
    menuTrigger: 'input' as const,
    isInvalid: Boolean(error),
    ...(hint === undefined ? {} : { description: hint }),
    ...(error ? { errorMessage: error } : {}),
    onInputChange: (next: string) => {
      search(next)
      if (next === '' && chosen !== null) onChoose(null)
    },
    // Called for a choice, and to put the name of what is chosen back into the field.
    onChange: (key: string | number | null) => {
      const item = key === chosen?.id ? chosen : (items.find(({ id }) => id === key) ?? null)
      onSearch('')
      setTyped(adds ? '' : (item?.name ?? ''))
      if (item === null || item.id === chosen?.id) return
      onChoose(item.id)
      if (adds) state.revert()
    },
  }
  const state = useComboBoxState({
    ...options,
    children: (item) => <Item textValue={item.name}>{item.name}</Item>,
  })
  const { labelProps, inputProps, listBoxProps, buttonProps, descriptionProps, errorMessageProps } =
    useComboBox({ ...options, inputRef: input, buttonRef: button, listBoxRef: list, popoverRef: box }, state)
  const { buttonProps: openerProps } = useButton(buttonProps, button)
  // Before the effect of useComboBox, which hides the rest of the page.
  useLayoutEffect(() => {
    if (!state.isOpen || box.current === null || input.current === null) return undefined
    const hide = showBeside(box.current, input.current)
    const release = keepInSight(input.current)
    return () => {
      release()
      hide()
    }
  }, [state.isOpen])
  return (
    <div
      className="field"
      onKeyDownCapture={(event) => {
        // Escape closes the list, not the dialog with the field.
        if (event.key === 'Escape' && state.isOpen) event.preventDefault()
      }}
    >
      <label {...labelProps}>{label}</label>
      <div className={styles['combo']}>
        <input {...inputProps} ref={input} name={name} placeholder={placeholder} />
        <button {...openerProps} ref={button} className={styles['comboButton']}>
          <span aria-hidden="true">▾</span>
        </button>
      </div>
      {state.isOpen && (
        // Above everything, also above a modal dialog: in the flow it would move what is below it.
        <div ref={box} popover="manual" className={styles['comboBox']}>
          <Options
            {...listBoxProps}
            state={state}
            list={list}
            empty={found === undefined ? text.loading : empty}
          />
          {hasMore && <p className="hint">{text.searchMore}</p>}
        </div>
      )}
      {hint !== undefined && (
        <p {...descriptionProps} className="hint">
          {hint}
        </p>
      )}
      {error && (
        <p {...errorMessageProps} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}

const Options = ({
  state,
  list,
  empty,
  ...props
}: ReturnType<typeof useComboBox<Named>>['listBoxProps'] & {
  readonly state: ComboBoxState<Named>
  readonly list: React.RefObject<HTMLUListElement | null>
  readonly empty: string
}) => {
  const { listBoxProps } = useListBox({ ...props, escapeKeyBehavior: 'none' }, state, list)
  return (
    <ul {...listBoxProps} ref={list}>
      {[...state.collection].map(({ key, rendered }) => (
        <Option key={key} id={key} state={state}>
          {rendered}
        </Option>
      ))}
      {state.collection.size === 0 && (
        <li role="option" aria-selected="false" aria-disabled="true">
          {empty}
        </li>
      )}
    </ul>
  )
}

const Option = ({
  id,
  state,
  children,
}: {
  readonly id: string | number
  readonly state: ComboBoxState<Named>
  readonly children: React.ReactNode
}) => {
  const element = useRef<HTMLLIElement>(null)
  const { optionProps, isFocused, isSelected } = useOption({ key: id }, state, element)
  return (
    <li {...optionProps} ref={element} data-focused={isFocused || undefined}>
      {children}
      {isSelected && <span aria-hidden="true">✓</span>}
    </li>
  )
}
