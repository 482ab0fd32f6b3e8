/** Offers a text to the reader as a file download. */
export function saveFile(name: string, text: string, type = 'application/json'): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  // After 1 s the browser has started to read the blob.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
