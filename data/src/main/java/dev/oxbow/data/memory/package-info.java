/** Where rows of batches lie in memory, for readers of our own: what users write is checked value by value. */
package dev.oxbow.data.memory;
