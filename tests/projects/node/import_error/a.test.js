require('./missing');
