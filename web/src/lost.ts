/** Where the program or its words do not come, no catalogue is there either: app.html says so in each language. */
export function tellLost(error: unknown): void {
  console.warn('The app could not be loaded:', error)
  document.querySelector('.splash')?.remove()
  document.getElementById('lost')?.removeAttribute('hidden')
}
